/**
 * Opens this party's part of an imported secret with HPKE (RFC 9180), checks it against what all three parties are
 * told, and seals it again under the party's own KEK. A part that does not fit is refused.
 */
import { createPublicKey } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import {
  decodeImportPackage,
  nextParty,
  partCommitment,
  publicPackageHash,
  type ImportPackage,
  type PrivatePart,
  type PublicPackage,
} from '@countersign/custody/import-package.js';
import { sodium } from '@countersign/custody/sodium.js';
import { isValidPoint, type Identifier } from '../frost/frost-ed25519.js';
import { encodeKeyShare, validateKeyShare, verifyingSharesOf } from '../frost/frost-key-share.js';
import {
  encodeRsaKeyShare,
  hasItsCommittedParts,
  hasNewParts,
  MODULUS_BITS,
  requireWellFormed,
} from '../rsa/rsa-key-share.js';
import { rsaPublicKey } from '../../threads/rsa-public-values.js';
import { encodeHmacKeyShare, partThatLacks } from '../maths/hmac-maths.js';
import { recipientContext } from '../sealing/share-contexts.js';
import { openShare, sealShare } from '../sealing/share-seal.js';
import { SHARE_SCHEMES } from './opened-share.js';
import type { ThreadState } from './thread-state.js';
import type {
  NewRecipient,
  OpenImportInput,
  OpenImportResult,
} from '../../threads/thread-tasks.js';

const ENCAPSULATED_BYTES = 32;
const MIN_HMAC_PART_BYTES = 96;
const MAX_HMAC_PART_BYTES = 4_096;

/** What is wrong with a part, as public text. */
class PartFault extends Error {}

function cipherSuite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
}

/** A fresh HPKE key pair, its private key sealed under this party's KEK. */
export async function makeRecipient(
  state: ThreadState,
  recipientId: string,
): Promise<NewRecipient> {
  const { kem } = cipherSuite();
  const pair = await kem.generateKeyPair();
  const publicKey = new Uint8Array(await kem.serializePublicKey(pair.publicKey));
  const secret = new Uint8Array(await kem.serializePrivateKey(pair.privateKey));
  try {
    const aad = recipientContext(state.party, recipientId);
    const sealed = await sealShare({ kek: state.kek, aad, secret });
    return { recipientId, publicKey, ...sealed };
  } finally {
    sodium.sodium_memzero(secret);
  }
}

export async function openImport(
  state: ThreadState,
  input: OpenImportInput,
): Promise<OpenImportResult> {
  let opened: Uint8Array | undefined;
  let secret: Uint8Array | undefined;
  try {
    opened = await openSealedPart(state, input);
    const imported = decodePart(opened);
    if (imported.party !== state.party || imported.common.type !== input.type) {
      throw new PartFault('the part is not for this party, or of another type');
    }
    secret = shareOf(state.party, imported, input.publicKey);
    const scheme = SHARE_SCHEMES[input.type];
    const { keyId, version } = input;
    const aad = { purpose: 'key share', keyId, party: state.party, scheme, version } as const;
    const sealed = await sealShare({ kek: state.kek, aad, secret });
    const transcriptHash = Uint8Array.from(publicPackageHash(imported.common));
    return { ok: true, ...sealed, scheme, publicKey: input.publicKey, transcriptHash };
  } catch (error) {
    if (!(error instanceof PartFault)) throw error;
    return { ok: false, reason: error.message };
  } finally {
    if (opened !== undefined) sodium.sodium_memzero(opened);
    if (secret !== undefined) sodium.sodium_memzero(secret);
  }
}

async function openSealedPart(
  state: ThreadState,
  { recipient, info, sealedPart }: OpenImportInput,
): Promise<Uint8Array> {
  const privateBytes = await openShare({
    kek: state.kek,
    aad: recipientContext(state.party, recipient.recipientId),
    wrappedDek: recipient.wrappedDek,
    sealed: recipient.sealed,
  });
  try {
    const suite = cipherSuite();
    const recipientKey = await suite.kem.deserializePrivateKey(arrayBuffer(privateBytes));
    const context = await suite.createRecipientContext({
      recipientKey,
      enc: arrayBuffer(sealedPart.subarray(0, ENCAPSULATED_BYTES)),
      info: arrayBuffer(info),
    });
    return new Uint8Array(await context.open(arrayBuffer(sealedPart.subarray(ENCAPSULATED_BYTES))));
  } catch {
    throw new PartFault('the part does not open: sealed for another party, user, vault or key');
  } finally {
    sodium.sodium_memzero(privateBytes);
  }
}

function decodePart(opened: Uint8Array): ImportPackage {
  try {
    return decodeImportPackage(opened);
  } catch {
    throw new PartFault('the part is malformed');
  }
}

/** The share to be kept, encoded. Secret: the caller wipes it. */
function shareOf(
  party: Identifier,
  { common, part }: ImportPackage,
  publicKey: Uint8Array,
): Uint8Array {
  if (common.type === 'ed25519' && part.type === 'ed25519') {
    return frostShareOf(party, common.commitments, part.signingShare, publicKey);
  }
  if (common.type === 'rsa' && part.type === 'rsa') {
    return rsaShareOf(party, common, part.parts, publicKey);
  }
  if (common.type === 'hmac' && part.type === 'hmac') {
    return hmacShareOf(party, common, part.parts);
  }
  throw new PartFault('the part is malformed');
}

function frostShareOf(
  party: Identifier,
  [constant, slope]: readonly [Uint8Array, Uint8Array],
  signingShare: Uint8Array,
  publicKey: Uint8Array,
): Uint8Array {
  if (Buffer.compare(constant, publicKey) !== 0) {
    throw new PartFault('the part is not of the stated public key');
  }
  // a slope of zero would give each party the whole secret
  if (!isValidPoint(slope)) throw new PartFault('the part does not fit its commitments');
  try {
    const share = {
      identifier: party,
      signingShare,
      groupPublicKey: constant,
      verifyingShares: verifyingSharesOf(constant, slope),
    };
    validateKeyShare(share);
    return encodeKeyShare(share);
  } catch {
    throw new PartFault('the part does not fit its commitments');
  }
}

function rsaShareOf(
  party: Identifier,
  common: Extract<PublicPackage, { type: 'rsa' }>,
  [own, next]: readonly [Uint8Array, Uint8Array],
  publicKey: Uint8Array,
): Uint8Array {
  const { modulus, publicExponent, partCommitments } = common;
  const share = { party, modulus, publicExponent, partCommitments, own, next };
  try {
    requireWellFormed(share, MODULUS_BITS);
  } catch {
    throw new PartFault('the part is not of a usable RSA key');
  }
  const stated = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  if (!rsaPublicKey(share).equals(stated)) {
    throw new PartFault('the part is not of the stated public key');
  }
  if (!hasNewParts(share)) throw new PartFault('the part is too short');
  if (!hasItsCommittedParts(share)) throw new PartFault('the part does not fit its commitments');
  return encodeRsaKeyShare(share);
}

function hmacShareOf(
  party: Identifier,
  { partCommitments }: Extract<PublicPackage, { type: 'hmac' }>,
  parts: Extract<PrivatePart, { type: 'hmac' | 'rsa' }>['parts'],
): Uint8Array {
  const [own, next] = parts;
  if (
    own.length !== next.length ||
    own.length < MIN_HMAC_PART_BYTES ||
    own.length > MAX_HMAC_PART_BYTES
  ) {
    throw new PartFault('the part is too short or too long');
  }
  const isCommitted =
    partCommitment(party, own).equals(partCommitments[party - 1]!) &&
    partCommitment(nextParty(party), next).equals(partCommitments[nextParty(party) - 1]!);
  if (!isCommitted) throw new PartFault('the part does not fit its commitments');
  const missingCommitment = partCommitments[partThatLacks(party) - 1]!;
  return encodeHmacKeyShare({ party, parts, missingCommitment });
}

/** Copies into memory of its own, as WebCrypto's types demand. */
function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
