/** Figures from the database: alarms, and requests that nobody brings to an end. */
import { ALARM_KINDS, type AlarmKind } from '@countersign/core/alarm-statement.js';
import { timeView } from '@countersign/api/common-schema.js';
import type { SystemOperations } from '@countersign/api/system-operations-schema.js';
import { queryStore, type Store } from '../stores/ask-store.js';
import { ALARM_ADVICE } from './alarm-advice.js';

export type StoredFigures = Pick<SystemOperations, 'alarms' | 'stuck_requests'>;

const ALARMS_LOOKED_AT = 200;
const ALARMS_OF_MS = 24 * 3_600_000;
const STUCK_AFTER_MS = 5_000;
const MAX_STUCK = 20;

interface AlarmRow {
  kind: string;
  accused: number | null;
  at: Date;
  count: number;
}

/** `now`: ms. Rejects with 504 while the database cannot be asked. */
export async function readStoredFigures(store: Store, now: number): Promise<StoredFigures> {
  const [alarms, stuck] = await Promise.all([
    queryStore<AlarmRow>(
      store,
      'SELECT kind, accused, at, count::int AS count FROM alarm ORDER BY seq DESC LIMIT $1',
      [ALARMS_LOOKED_AT],
    ),
    findStuck(store),
  ]);
  return {
    alarms: summariesOf(alarms.rows.filter(({ at }) => now - at.getTime() <= ALARMS_OF_MS)),
    stuck_requests: stuck,
  };
}

/** Kinds keep the order of their first rows. */
export function summariesOf(rows: readonly AlarmRow[]): StoredFigures['alarms'] {
  const byKind = new Map<AlarmKind | 'unknown', AlarmRow[]>();
  for (const row of rows) {
    const kind = kindOf(row.kind);
    byKind.set(kind, [...(byKind.get(kind) ?? []), row]);
  }
  return [...byKind].map(([kind, alarms]) => ({
    kind,
    count: alarms.reduce((sum, { count }) => sum + count, 0),
    last_at: timeView(Math.max(...alarms.map(({ at }) => at.getTime()))),
    parties: [...new Set(alarms.flatMap(({ accused }) => accused ?? []))].toSorted((a, b) => a - b),
    what_to_do: ALARM_ADVICE[kind],
  }));
}

function kindOf(word: string): AlarmKind | 'unknown' {
  return ALARM_KINDS.find((kind) => kind === word) ?? 'unknown';
}

async function findStuck(store: Store): Promise<StoredFigures['stuck_requests']> {
  const { rows } = await queryStore<{ request_id: string; operation: string; waiting_ms: number }>(
    store,
    `SELECT request_id, operation,
       (extract(epoch FROM now() - created_at) * 1000)::float8 AS waiting_ms
     FROM signing_request AS request
     WHERE expires_at > now() AND created_at < now() - $1 * interval '1 millisecond'
       AND NOT EXISTS (SELECT FROM request_result AS result
                       WHERE result.request_id = request.request_id)
     ORDER BY expires_at LIMIT $2`,
    [STUCK_AFTER_MS, MAX_STUCK],
  );
  return rows.map((row) => ({ ...row, waiting_ms: Math.max(0, Math.round(row.waiting_ms)) }));
}
