/**
 * Watches whether this node's clock and the ledger's time differ. Approvals, expiries and releases go by the ledger's
 * time; requests and signatures by each node's own clock. If they differ, one of the hosts has a wrong time.
 */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { Alarms } from '../alarms/alarms.js';

/** Two parties agree about the time within the same bound. */
const APART_MS = 60_000;
/** A pair that appears after a longer pause may have been given at any time during it. */
const FRESH_MS = 10_000;

export interface ClockWatch {
  /** `confirmedMsAgo`: since a read last showed nothing beyond the entries before these. */
  note(
    outcomes: readonly Pick<EntryOutcome, 'seq' | 'at' | 'judgedBy'>[],
    confirmedMsAgo: number,
  ): void;
}

/** Raises the alarm once, and again if they differ anew after they agreed. `now`: ms. */
export function createClockWatch(alarms: Alarms, now: () => number): ClockWatch {
  let isApart = false;
  return {
    note(outcomes, confirmedMsAgo) {
      const judged = outcomes.findLast(({ judgedBy }) => judgedBy !== undefined);
      if (judged === undefined) return;
      const behindMs = judged.at - now();
      const isFresh = confirmedMsAgo <= FRESH_MS;
      const before = isApart;
      if (behindMs > APART_MS || (isFresh && behindMs < -APART_MS)) isApart = true;
      else if (isFresh) isApart = false;
      if (isApart && !before)
        alarms.raise({ kind: 'clock_differs', reason: reasonOf(judged.seq, behindMs) });
    },
  };
}

function reasonOf(seq: number, behindMs: number): string {
  const seconds = Math.round(Math.abs(behindMs) / 1_000);
  const side = behindMs > 0 ? 'behind' : 'ahead of';
  return `this node's clock is ${seconds} s ${side} the time at which two parties judged entry ${seq}`;
}
