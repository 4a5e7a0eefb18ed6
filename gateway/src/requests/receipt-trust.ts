import type { ReceiptTrust } from '@countersign/api/receipt.js';
import { verifyPartiesOf, type VerifyParty } from '@countersign/api/signed-tree.js';
import { allPartiesOf } from '@countersign/vault/state/all-parties.js';
import type { VaultState } from '@countersign/vault/state/state.js';

type Parties = Pick<VaultState, 'genesisHash' | 'parties' | 'formerParties'>;

/**
 * Whose results are believed: those of the parties in the ledger that this gateway pinned. Each result is signed by
 * two of them, so those that were replaced are believed about what they did before: alone they decide nothing.
 */
export function createReceiptTrust(state: () => Parties): () => ReceiptTrust {
  const verifyParty = verifyPartiesOf(allPartiesOf(state));
  return () => ({ genesisHash: state().genesisHash, verifyParty });
}

/** Checks what one party says now: the keys in force alone count. */
export function createVerifyPresent(state: () => Parties): VerifyParty {
  return verifyPartiesOf(() => state().parties);
}
