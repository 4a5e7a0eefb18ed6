import type { ReceiptTrust } from '@countersign/api/receipt.js';
import { verifyPartiesOf } from '@countersign/api/signed-tree.js';
import { allPartiesOf } from '@countersign/vault/state/all-parties.js';
import type { VaultState } from '@countersign/vault/state/state.js';

type Parties = Pick<VaultState, 'genesisHash' | 'parties' | 'formerParties'>;

/**
 * Whose results are believed: those of the parties in the ledger that this gateway pinned, and those of parties that were
 * replaced about what was before that.
 */
export function createReceiptTrust(state: () => Parties): () => ReceiptTrust {
  const verifyParty = verifyPartiesOf(allPartiesOf(state));
  return () => ({ genesisHash: state().genesisHash, verifyParty });
}
