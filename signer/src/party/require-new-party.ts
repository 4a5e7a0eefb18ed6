/**
 * A primary replica without a pin file either never ran, or has lost what it knew: which history it spoke for, and
 * which requests have a message by it. The second must not go on as if it were the first.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import type { KeyStatus, VaultState } from '@countersign/vault/state/state.js';

/** Every party takes part in making a key, and nothing is signed by a vault without one. */
const MADE: ReadonlySet<KeyStatus> = new Set(['active', 'disabled', 'destroyed']);

/**
 * Throws where the party has spoken in this ledger, or may have signed. The successor of a lost party begins anew: it
 * has signed nothing before its first key has new shares.
 */
export function requireNewParty(
  { state, countersignatures }: Pick<LedgerView, 'state' | 'countersignatures'>,
  party: PartyNumber,
): void {
  const hasSpoken = countersignatures.has(party);
  const isSuccessor = state.refresh?.successor === party;
  const hasKeys = [...state.keys.rows.values()].some(
    ({ id, status }) => MADE.has(status) && !(isSuccessor && hasNoShare(state, id)),
  );
  if (!hasSpoken && !hasKeys) return;
  const reason = hasSpoken ? 'has countersigned this ledger' : 'holds keys of this ledger';
  throw new Error(
    `party ${party} ${reason}, and its pin file is not there: run \`remember\` first`,
  );
}

/** A key that waits for new shares, or was destroyed while it did. */
function hasNoShare(state: VaultState, keyId: string): boolean {
  return state.keysToRefresh?.has(keyId) === true;
}
