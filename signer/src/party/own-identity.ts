import type { PartyIdentity, PartyNumber } from '@countersign/core/parties.js';
import type { VaultState } from '@countersign/vault/state/state.js';

/**
 * Throws unless the ledger names `publicKey` (Ed25519, 32 bytes), which the key folder holds, for this
 * party: the keys of another party, or of another vault, sign nothing here.
 */
export function requireOwnIdentity(
  { parties, formerParties = [] }: Pick<VaultState, 'parties' | 'formerParties'>,
  party: PartyNumber,
  publicKey: Uint8Array,
): void {
  const own = Buffer.from(publicKey).toString('base64');
  const isOwn = (row: PartyIdentity) => row.party === party && row.identityPublicKey === own;
  if (parties.some(isOwn)) return;
  throw new Error(
    formerParties.some(isOwn)
      ? `party ${party} was replaced: another host has its place, and nothing that this one signs counts`
      : `KEY_DIR does not hold the identity of party ${party} in the ledger`,
  );
}
