/** Alarms: findings that no honest node causes. */
import * as s from '@countersign/core/shapes.js';
import {
  ALARM_KINDS,
  MAX_ALARM_EVIDENCE,
  MAX_ALARM_REASON,
} from '@countersign/core/alarm-statement.js';
import { instant } from './audit-query.js';
import { pageOf } from './common-schema.js';
import { dateTime, id, pageQuery, queryEnum } from './primitives.js';

const ACCUSERS = ['gateway', 'party_1', 'party_2', 'party_3'] as const;

export const listAlarmsQuery = s.strictObject({
  ...pageQuery,
  kind: queryEnum(ALARM_KINDS).optional().meta({ description: 'Alarms of this kind alone.' }),
  party: queryEnum(['1', '2', '3'])
    .optional()
    .meta({ description: 'Alarms that accuse this party.' }),
  accuser: queryEnum(ACCUSERS)
    .optional()
    .meta({ description: 'Alarms that were raised by this party, or by gateways.' }),
  from: instant
    .meta({ format: 'date-time', description: 'Alarms of this time or later; RFC 3339.' })
    .optional(),
  to: instant
    .meta({ format: 'date-time', description: 'Alarms before this time; RFC 3339.' })
    .optional(),
});

export const alarm = s
  .strictObject({
    id: id.describe('Id of the alarm.'),
    kind: s
      .words([...ALARM_KINDS, 'unknown'])
      .describe(
        'What was found (docs/how-to/runbooks has a page for each, with what to do). `unknown`: a word that this release does not have.',
      ),
    at: dateTime.describe(
      "When it was found, by the accuser's clock; the first time where `count` is more than 1. RFC 3339, UTC, milliseconds.",
    ),
    accuser: s
      .words(ACCUSERS)
      .describe('Who says so. Each writes under its own name alone: the database sees to that.'),
    party: s
      .int()
      .min(1)
      .max(3)
      .nullable()
      .describe('The party that is accused; null where it cannot be told who did it.'),
    request_id: id.nullable().describe('The request that it was about; null for none, or several.'),
    reason: s
      .string()
      .max(MAX_ALARM_REASON)
      .describe('What was wrong, in words of the accuser: at most 300 characters.'),
    count: s
      .int()
      .min(1)
      .describe(
        'How often it came: what repeats within a minute, or while it cannot be written, is one alarm.',
      ),
    evidence: s
      .string()
      .nullable()
      .describe(
        `What was sent, base64: at most its first ${MAX_ALARM_EVIDENCE} bytes. Null for none.`,
      ),
    evidence_bytes: s.int().min(0).describe('Length of the whole of what was sent, bytes.'),
    signature: s
      .string()
      .nullable()
      .describe(
        'Ed25519 by the identity key of the accusing party over all of the above (docs/how-to/audit.md has the bytes), base64. Null for gateways, which have none.',
      ),
    is_verified: s
      .boolean()
      .nullable()
      .describe(
        'Whether that signature holds against the genesis; null for an alarm of a gateway. Where it is false, whoever wrote the row is to blame, and nobody else.',
      ),
  })
  .meta({ id: 'Alarm' });

export type AlarmView = s.InputOf<typeof alarm>;

export const alarmPage = pageOf('AlarmPage', alarm, 'The one that was written last comes first.');
