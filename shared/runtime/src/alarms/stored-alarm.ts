/** A row of the table of alarms, in the form in which it is read. */
import type { Accuser, AlarmStatement } from '@countersign/core/alarm-statement.js';
import type { PartyNumber } from '@countersign/core/parties.js';

export interface StoredAlarm {
  /** The number that the database gave it. */
  readonly seq: string;
  readonly statement: AlarmStatement;
  readonly signature: Buffer | null;
}

export interface AlarmRow {
  seq: string;
  alarm_id: string;
  accuser: Accuser;
  kind: string;
  accused: PartyNumber | null;
  /** ms. */
  at: string;
  request_id: string | null;
  reason: string;
  count: number;
  evidence: Buffer | null;
  evidence_bytes: string;
  signature: Buffer | null;
}

/** SQL: the columns of an {@link AlarmRow}. */
export const ALARM_COLUMNS = `seq, alarm_id, accuser, kind, accused, request_id, reason, count, evidence,
  evidence_bytes, signature, trunc(extract(epoch FROM at) * 1000)::bigint AS at`;

export function toStoredAlarm(row: AlarmRow): StoredAlarm {
  return {
    seq: row.seq,
    statement: {
      id: row.alarm_id,
      accuser: row.accuser,
      kind: row.kind,
      party: row.accused,
      at: Number(row.at),
      requestId: row.request_id,
      reason: row.reason,
      count: row.count,
      evidence: row.evidence,
      evidenceBytes: Number(row.evidence_bytes),
    },
    signature: row.signature,
  };
}
