/**
 * Seals an RSA share made ahead anew, for a key that the ledger names. What the party then attests is read from inside
 * the seal: whoever writes the database chooses which share in stock this is, and nothing in it. A share that was
 * sealed for a key of the ledger does not open here: it would come back as another key.
 */
import { publicPackageHash } from '@countersign/custody/import-package.js';
import { sodium } from '@countersign/custody/sodium.js';
import { decodeRsaKeyShare, hasItsCommittedParts } from '../rsa/rsa-key-share.js';
import { RSA_SHARE_SCHEME, rsaPublicKey } from '../../threads/rsa-public-values.js';
import { stockContext } from '../sealing/share-contexts.js';
import { openShare, sealShare } from '../sealing/share-seal.js';
import type { ThreadState } from './thread-state.js';
import type { CompletedShare, ResealInput } from '../../threads/thread-tasks.js';

/**
 * Throws `ShareSealError` when the share does not open, and `RsaError` when it is of another size. The transcript hash
 * is that of an imported key, over modulus, exponent and commitments. The one of the run that made the key was compared
 * when it ended, and is not kept.
 */
export async function resealRsaShare(
  { kek, party }: ThreadState,
  { from, to, modulusBits }: ResealInput,
): Promise<CompletedShare> {
  const { wrappedDek, sealed, keyId, version } = from;
  const form = { party, scheme: RSA_SHARE_SCHEME };
  const aad = stockContext(party, keyId, version);
  const secret = await openShare({ kek, aad, wrappedDek, sealed });
  try {
    const share = decodeRsaKeyShare(secret, [modulusBits]);
    if (share.party !== party || !hasItsCommittedParts(share)) {
      throw new Error(`the share of key ${keyId} is damaged`);
    }
    const publicKey = rsaPublicKey(share).export({ format: 'der', type: 'spki' });
    return {
      ...(await sealShare({ kek, aad: { ...form, purpose: 'key share', ...to }, secret })),
      scheme: RSA_SHARE_SCHEME,
      publicKey: Uint8Array.from(publicKey),
      transcriptHash: Uint8Array.from(publicPackageHash({ type: 'rsa', ...share })),
    };
  } finally {
    sodium.sodium_memzero(secret);
  }
}
