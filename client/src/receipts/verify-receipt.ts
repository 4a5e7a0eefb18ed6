/** Receipts, checked without the service: what two parties of the pinned vault signed. */
import { findViewFault } from '@countersign/api/receipt.js';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import { receipt } from '@countersign/api/signing-schema.js';
import type { PinnedVault } from '../answers/pinned-vault.js';

/**
 * Why the receipt does not hold, for people; undefined when it does. A receipt that holds says that the
 * vault's parties signed what it names (`message_sha256`, hex, of the signed bytes), not that the
 * signature beside it is one: verify that by the key.
 */
export function findFaultOfReceipt(value: unknown, vault: PinnedVault): string | undefined {
  const view = receipt.read(value);
  if ('issues' in view) return 'is no receipt';
  const { genesisHash, identities, former = [] } = vault;
  return findViewFault(view.value, {
    genesisHash,
    verifyParty: createVerifyParty([...identities, ...former]),
  });
}
