import type { PartyNumber } from '@countersign/core/parties.js';
import type { VaultState } from '@countersign/vault/state/state.js';

/**
 * Throws unless the genesis names `publicKey` (Ed25519, 32 bytes), which the key folder holds, for this
 * party: the keys of another party, or of another vault, sign nothing here.
 */
export function requireOwnIdentity(
  { parties }: Pick<VaultState, 'parties'>,
  party: PartyNumber,
  publicKey: Uint8Array,
): void {
  const named = parties.find((row) => row.party === party)?.identityPublicKey;
  if (named !== Buffer.from(publicKey).toString('base64')) {
    throw new Error(`KEY_DIR does not hold the identity of party ${party} in the genesis`);
  }
}
