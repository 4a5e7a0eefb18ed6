import { alarmPage, listAlarmsQuery } from '../alarm-schema.js';
import { apiOperation, READ } from '../operation.js';
import { alarm } from '../example-values.js';

export const listAlarmsOperation = apiOperation({
  ...READ,
  tag: 'alarms',
  id: 'list-alarms',
  path: '/v1/alarms',
  summary: 'List alarms, newest first',
  description:
    'What parties and gateways found that no honest part of the vault does. Each alarm says who raised it, whom it accuses, and what was sent. ' +
    'An alarm is a claim. Where `is_verified` is true its party signed it, which proves no more than that this party says so. Only what matches every given filter is listed.',
  query: listAlarmsQuery,
  response: alarmPage,
  example: {
    query: { kind: 'party_misbehaved', party: '2', from: '2026-11-01T00:00:00Z' },
    response: { results: [alarm], next_cursor: null },
  },
});

export const ALARM_OPERATIONS = [listAlarmsOperation] as const;
