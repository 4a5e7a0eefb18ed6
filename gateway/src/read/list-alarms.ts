import type { listAlarmsQuery } from '@countersign/api/alarm-schema.js';
import { listAlarmsOperation } from '@countersign/api/operations/alarm-operations.js';
import { DEFAULT_PAGE_LIMIT } from '@countersign/api/primitives.js';
import { isRefusal } from '@countersign/core/errors.js';
import {
  ALARM_COLUMNS,
  toStoredAlarm,
  type AlarmRow,
  type StoredAlarm,
} from '@countersign/runtime/alarms/stored-alarm.js';
import { MAX_TIME_MS } from '@countersign/core/records.js';
import type * as s from '@countersign/core/shapes.js';
import { cursorScope } from './page.js';
import { readOperation } from './read-operation.js';
import { queryStore, type Store } from '../stores/ask-store.js';
import { alarmView } from './alarm-view.js';

type AlarmFilter = Omit<s.OutputOf<typeof listAlarmsQuery>, 'cursor' | 'limit'>;

export const listAlarms = readOperation({
  ...listAlarmsOperation,
  async handle({ state, pool, cursors, caller }, { query }) {
    const { cursor, limit = DEFAULT_PAGE_LIMIT, ...filter } = query;
    const scope = cursorScope('alarms', query, caller.id);
    const position = cursor === undefined ? undefined : cursors.open(scope, cursor);
    if (isRefusal(position)) return position;
    const rows = await findAlarms(pool, filter, position, limit + 1);
    const page = rows.slice(0, limit);
    return {
      results: page.map((row) => alarmView(row, state)),
      next_cursor: rows.length > limit ? cursors.seal(scope, page.at(-1)!.seq) : null,
    };
  },
});

/** `before`: the row number of the previous page's last alarm. */
async function findAlarms(
  store: Store,
  filter: AlarmFilter,
  before: string | undefined,
  limit: number,
): Promise<StoredAlarm[]> {
  const { text, values } = alarmQuery(filter, before, limit);
  const { rows } = await queryStore<AlarmRow>(store, text, values);
  return rows.map(toStoredAlarm);
}

function alarmQuery(
  { kind, party, accuser, from, to }: AlarmFilter,
  before: string | undefined,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const where = (value: unknown, condition: (parameter: string) => string) => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  where(before, (parameter) => `seq < ${parameter}::bigint`);
  where(kind, (parameter) => `kind = ${parameter}::text`);
  where(party, (parameter) => `accused = ${parameter}::smallint`);
  where(accuser, (parameter) => `accuser = ${parameter}::text`);
  where(timeOf(from), (parameter) => `at >= ${parameter}::timestamptz`);
  where(timeOf(to), (parameter) => `at < ${parameter}::timestamptz`);
  const text = `SELECT ${ALARM_COLUMNS}
    FROM alarm ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ORDER BY seq DESC LIMIT $${values.push(limit)}`;
  return { text, values };
}

/** Clamps a bound to the years that the table can have, which loses nothing. */
function timeOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(Math.min(Math.max(ms, 0), MAX_TIME_MS + 1));
}
