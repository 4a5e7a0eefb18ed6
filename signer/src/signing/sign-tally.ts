/** Counts what this replica signs: plain numbers, which become metrics when somebody looks. */
import { LatencyHistogram } from '@countersign/runtime/metrics/latency-histogram.js';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { refusalWord } from '@countersign/vault/policy/refusal-word.js';

export type Role = 'lead' | 'partner';

export interface SignTally {
  readonly batches: Readonly<Record<Role, number>>;
  /** Items of batches that this replica led: `signed`, `retry`, or why they were denied. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Time from a partner's contribution to the outcomes of its batch, ms. */
  readonly leading: LatencyHistogram;
  noteBatch(role: Role): void;
  /** Gives the outcomes of a batch that this replica leads, and counts them. */
  countLed(outcomes: Promise<SignOutcome[]>): Promise<SignOutcome[]>;
}

export function createSignTally(): SignTally {
  const batches = { lead: 0, partner: 0 };
  const outcomes = new Map<string, number>();
  const leading = new LatencyHistogram();
  return {
    batches,
    outcomes,
    leading,
    noteBatch(role) {
      batches[role] += 1;
    },
    async countLed(led) {
      const startedAt = performance.now();
      const given = await led;
      leading.note(performance.now() - startedAt);
      for (const outcome of given) {
        const word = wordOf(outcome);
        outcomes.set(word, (outcomes.get(word) ?? 0) + 1);
      }
      return given;
    },
  };
}

function wordOf(outcome: SignOutcome): string {
  if (outcome.outcome !== 'denied') return outcome.outcome;
  return refusalWord({ refused: outcome.errType, message: outcome.reason });
}
