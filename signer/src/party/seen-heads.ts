/**
 * Remembers since when this party knows that the vault came into another state. A gateway names the head of a batch,
 * and a hostile one would go on with the head before a limit, a policy or a right was changed.
 */
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { isSameVault } from '@countersign/vault/state/same-vault.js';

/** An honest gateway waits less for a batch, so no batch that it still waits for is refused because of its head. */
export const SUPERSEDED_AFTER_MS = 10_000;

export interface SeenHeads {
  /** Whether this party has known for some seconds of a state in force that came after this entry. */
  isSuperseded(seq: number): boolean;
}

/** `elapsed`: this process's own monotonic clock, ms, so that setting a clock moves nothing that was seen. */
export function watchHeads(
  follower: Pick<LedgerFollower, 'view' | 'onOutcomes'>,
  elapsed: () => number,
): SeenHeads {
  let last = follower.view.state;
  const changes: { readonly seq: number; readonly at: number }[] = [];
  let settledSeq = 0;

  follower.onOutcomes(() => {
    const { state } = follower.view;
    if (!isSameVault(last, state)) changes.push({ seq: state.seq, at: elapsed() });
    last = state;
    forgetSettled();
  });

  function forgetSettled(): void {
    const until = elapsed() - SUPERSEDED_AFTER_MS;
    while (changes[0] !== undefined && changes[0].at <= until) settledSeq = changes.shift()!.seq;
  }

  return {
    isSuperseded(seq) {
      forgetSettled();
      return seq < settledSeq;
    },
  };
}
