/** Alarms as a source of events. Every row is given at least once, even if it was committed late. */
import {
  ALARM_COLUMNS,
  toStoredAlarm,
  type AlarmRow,
} from '@countersign/runtime/alarms/stored-alarm.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type pg from 'pg';
import { eventOfAlarm } from './alarm-event.js';
import type { VaultEvent } from './vault-event.js';

/**
 * Rows get their numbers before they are committed. A transaction lasts half a minute at most, in which no more than a
 * thousand rows are added (0001-alarms.ts). So rows this far behind the newest are complete, and so are those
 * that are half a day old. Those must not be read again: their deliveries may be forgotten, and would be made anew.
 */
const LATE_ROWS = 2_000;
const LATE_WITHIN = "interval '12 hours'";
const PAGE = 500;
const NEW_ROWS = `(seq > $1 OR (seq > $1 - ${LATE_ROWS} AND written_at > now() - ${LATE_WITHIN}))
  AND NOT seq = ANY($2::bigint[])`;
const WRITTEN_AT = 'trunc(extract(epoch FROM written_at) * 1000)::bigint AS written_at';

export interface AlarmSource {
  /** Rows after `position`, and those shortly before it that came late, without those already kept. */
  findNew(position: number): Promise<readonly VaultEvent[]>;
  /** Keeps events, so that `findNew` does not give them again. */
  keep(events: readonly VaultEvent[]): void;
  find(seq: number): Promise<VaultEvent | undefined>;
}

export function createAlarmSource(
  pool: Pick<pg.Pool, 'query'>,
  state: () => VaultState,
): AlarmSource {
  let kept = new Set<number>();

  async function read(where: string, values: unknown[]): Promise<VaultEvent[]> {
    const { rows } = await pool.query<AlarmRow & { written_at: string }>(
      `SELECT ${ALARM_COLUMNS}, ${WRITTEN_AT} FROM alarm WHERE ${where} ORDER BY seq LIMIT ${PAGE}`,
      values,
    );
    return rows.map((row) => ({
      ...eventOfAlarm(toStoredAlarm(row), state()),
      knownAt: Number(row.written_at),
    }));
  }

  return {
    findNew: (position) => read(NEW_ROWS, [position, [...kept]]),
    keep(events) {
      for (const { sourceSeq } of events) kept.add(sourceSeq);
      const oldest = Math.max(0, ...kept) - LATE_ROWS;
      kept = new Set([...kept].filter((seq) => seq > oldest));
    },
    find: async (seq) => (await read('seq = $1', [seq]))[0],
  };
}
