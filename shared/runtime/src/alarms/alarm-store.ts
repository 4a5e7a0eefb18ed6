import type { AlarmWord } from '@countersign/core/alarm-word.js';
import type { Bytes } from '@countersign/core/bytes.js';
import type pg from 'pg';

export interface SignedAlarm {
  readonly word: AlarmWord;
  /** Of the accuser over the word's message; null where it has no identity. */
  readonly signature: Bytes | null;
}

export interface AlarmStore {
  /** What is there already is left as it is. Rejects when the database is away, or takes no more in this minute. */
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
        column(({ word }) => word.id),
        column(({ word }) => word.accuser),
        column(({ word }) => word.kind),
        column(({ word }) => word.party),
        column(({ word }) => new Date(word.at)),
        column(({ word }) => word.requestId),
        column(({ word }) => word.reason),
        column(({ word }) => word.count),
        column(({ word }) => word.evidence),
        column(({ word }) => word.evidenceBytes),
        column(({ signature }) => signature),
      ]);
    },
  };
}
