/** Decides for which pending keys party 1 calls a run, and when, from state alone, without clock or ledger. */
import type { Key } from '@countersign/vault/state/state.js';
import { RSA_LANE } from '../party/key-lock.js';

const MAX_RUNS = 8;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/**
 * Runs of one lane follow each other, at all replicas of the party. One RSA generation fills the processors: two at a
 * time would each take twice as long.
 */
export function laneOf({ id, type, status }: Pick<Key, 'id' | 'type' | 'status'>): string {
  return type === 'rsa' && status === 'generating' ? RSA_LANE : id;
}

interface Pause {
  readonly untilMs: number;
  readonly nextMs: number;
}

export class CallSchedule {
  /** Lanes of the runs that this replica calls. */
  readonly #lanes = new Set<string>();
  readonly #pauses = new Map<string, Pause>();

  /**
   * Returns the `pending` keys whose runs are to be called now, the first ones first, one for a lane. They count as
   * called until {@link end}. `now`: ms.
   */
  begin(pending: readonly Key[], now: number): Key[] {
    const due: Key[] = [];
    for (const key of pending) {
      if (this.#lanes.size >= MAX_RUNS) break;
      if (this.#lanes.has(laneOf(key)) || this.#isPaused(key.id, now)) continue;
      this.#lanes.add(laneOf(key));
      due.push(key);
    }
    return due;
  }

  /**
   * The call that {@link begin} gave for `key` is over. A key that is still pending waits before it is called again,
   * each time longer.
   */
  end(key: Key, isPending: boolean, now: number): void {
    this.#lanes.delete(laneOf(key));
    if (!isPending) {
      this.#pauses.delete(key.id);
      return;
    }
    const lengthMs = this.#pauses.get(key.id)?.nextMs ?? FIRST_PAUSE_MS;
    const nextMs = Math.min(lengthMs * 2, MAX_PAUSE_MS);
    this.#pauses.set(key.id, { untilMs: now + lengthMs, nextMs });
  }

  #isPaused(keyId: string, now: number): boolean {
    return (this.#pauses.get(keyId)?.untilMs ?? 0) > now;
  }
}
