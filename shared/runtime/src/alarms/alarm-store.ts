import type { AlarmStatement } from '@countersign/core/alarm-statement.js';
import type { Bytes } from '@countersign/core/bytes.js';
import type pg from 'pg';

export interface SignedAlarm {
  readonly statement: AlarmStatement;
  /** The accuser's, over the statement's message; null if it has no identity. */
  readonly signature: Bytes | null;
}

export interface AlarmStore {
  /** Leaves existing rows unchanged. Rejects when the database is away, or takes no more in this minute. */
  insert(alarms: readonly SignedAlarm[]): Promise<void>;
}

const INSERT = `INSERT INTO alarm (alarm_id, accuser, kind, accused, at, request_id, reason, count, evidence,
    evidence_bytes, signature)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[], $5::timestamptz[], $6::uuid[],
    $7::text[], $8::int[], $9::bytea[], $10::bigint[], $11::bytea[])
  ON CONFLICT DO NOTHING`;

export function createAlarmStore(pool: pg.Pool): AlarmStore {
  return {
    async insert(alarms) {
      const column = (of: (alarm: SignedAlarm) => unknown) => alarms.map(of);
      await pool.query(INSERT, [
        column(({ statement }) => statement.id),
        column(({ statement }) => statement.accuser),
        column(({ statement }) => statement.kind),
        column(({ statement }) => statement.party),
        column(({ statement }) => new Date(statement.at)),
        column(({ statement }) => statement.requestId),
        column(({ statement }) => statement.reason),
        column(({ statement }) => statement.count),
        column(({ statement }) => statement.evidence),
        column(({ statement }) => statement.evidenceBytes),
        column(({ signature }) => signature),
      ]);
    },
  };
}
