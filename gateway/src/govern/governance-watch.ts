import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';

/** Two live parties never take this long. */
const STUCK_AFTER_MS = 10_000;

export interface GovernanceWatch {
  /** Whether two parties judge what is appended: no change has waited for them for long. */
  readonly isAlive: boolean;
  /** How long the oldest change has waited, ms; undefined if none does. */
  readonly waitingMs: number | undefined;
  /** Raises the alarm once for each change that holds up others. */
  look(): void;
}

/** Watches how long the oldest change waits that two parties have not judged. */
export function watchGovernance(
  follower: Pick<LedgerFollower, 'view' | 'onOutcomes'>,
  now: () => number,
  alarms: Alarms,
): GovernanceWatch {
  let oldest = follower.view.pending[0]?.seq;
  let since = now();
  let told: number | undefined;
  follower.onOutcomes((_outcomes, { pending }) => {
    if (pending[0]?.seq === oldest) return;
    oldest = pending[0]?.seq;
    since = now();
  });
  const isAlive = () => oldest === undefined || now() - since < STUCK_AFTER_MS;
  return {
    get isAlive() {
      return isAlive();
    },
    get waitingMs() {
      return oldest === undefined ? undefined : now() - since;
    },
    look() {
      if (isAlive() || told === oldest) return;
      told = oldest;
      const reason = `entry ${oldest} waits for two parties that judge it`;
      alarms.raise({ kind: 'governance_stuck', reason });
    },
  };
}
