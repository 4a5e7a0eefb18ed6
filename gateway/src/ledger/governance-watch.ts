import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';

/** Longer than two live parties ever take. */
const STUCK_AFTER_MS = 10_000;

export interface GovernanceWatch {
  /** Whether two parties judge what is appended: nothing has waited for them for long. */
  readonly isAlive: boolean;
}

/** Sees since when the oldest change waits that two parties have not judged. */
export function watchGovernance(
  follower: Pick<LedgerFollower, 'view' | 'onOutcomes'>,
  now: () => number,
): GovernanceWatch {
  let oldest = follower.view.pending[0]?.seq;
  let since = now();
  follower.onOutcomes((_outcomes, { pending }) => {
    if (pending[0]?.seq === oldest) return;
    oldest = pending[0]?.seq;
    since = now();
  });
  return {
    get isAlive() {
      return oldest === undefined || now() - since < STUCK_AFTER_MS;
    },
  };
}
