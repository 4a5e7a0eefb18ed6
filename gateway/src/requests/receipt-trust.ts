import type { ReceiptTrust } from '@countersign/api/receipt.js';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import type { VaultState } from '@countersign/vault/state/state.js';

/**
 * Whose results are believed: those of the parties in the genesis that this gateway pinned, as soon as there is one.
 */
export function createReceiptTrust(
  state: () => Pick<VaultState, 'genesisHash' | 'parties'>,
): () => ReceiptTrust {
  let trust: ReceiptTrust | undefined;
  return () => {
    const { genesisHash, parties } = state();
    if (trust?.genesisHash === genesisHash) return trust;
    trust = { genesisHash, verifyParty: createVerifyParty(parties) };
    return trust;
  };
}
