/** Whether an address is the one that the three parties vouched for, whatever the gateway says. */
import { parseBase64 } from '@countersign/core/bytes.js';
import { keyAttestationMessage } from '@countersign/core/attestation.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import type { PinnedIdentity, PinnedVault } from '@countersign/client/pinned-vault.js';
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type ListedWallet = OperationValue<'list-wallets'>['results'][number];

type AttestedWallet = Pick<
  ListedWallet,
  'vault_id' | 'key_id' | 'address' | 'public_key' | 'attestations'
>;

/**
 * `true`: all three parties of the pinned vault signed this address, for this key, in this vault. A party that was
 * replaced since signed it by the key that it had.
 */
export function isAddressAttested(wallet: AttestedWallet, pinned: PinnedVault): boolean {
  return pinned.identities.every(({ party }) =>
    [...pinned.identities, ...(pinned.former ?? [])].some(
      (one) => one.party === party && hasAttested(one, wallet, pinned),
    ),
  );
}

function hasAttested(
  { party, identityPublicKey }: PinnedIdentity,
  wallet: AttestedWallet,
  pinned: PinnedVault,
): boolean {
  const attestation = wallet.attestations.find((one) => one.party === party);
  const signature = parseBase64(attestation?.signature ?? '');
  const identity = parseBase64(identityPublicKey);
  const publicKey = parseBase64(wallet.public_key.raw);
  if (signature === undefined || identity === undefined || publicKey === undefined) return false;
  const message = keyAttestationMessage(
    {
      vaultId: wallet.vault_id,
      keyId: wallet.key_id,
      keyType: 'ed25519',
      publicKey,
      address: wallet.address,
      ceremonyHash: Buffer.from(attestation?.ceremony_hash ?? '', 'hex'),
    },
    pinned.genesisHash,
  );
  return verifyEd25519(identity, message, signature);
}
