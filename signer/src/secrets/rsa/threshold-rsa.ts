/**
 * Two of three parties sign with an RSA key, each by one exponentiation. The lead raises the encoded message to the sum
 * of its two parts, the partner to the one part that the lead lacks. The product is EM^(d_1 + d_2 + d_3).
 *
 * Both compute EM from the message. A partial of one message helps with no other, so neither party can turn the other's
 * work into a signature it did not agree to.
 */
import { constants, verify, type KeyObject } from 'node:crypto';
import { nextParty } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { encodeRsaMessage, RSA_SCHEME_FORMS, type RsaMessage } from './emsa.js';
import { bitLengthOfBytes, toBigInt, toBytes } from '@countersign/core/big-integers.js';
import { addIntegers, SigningModexp } from './modexp.js';
import { RsaError } from './rsa-error.js';
import { hasItsCommittedParts, type RsaKeyShare } from './rsa-key-share.js';

/**
 * The partner's half: EM^d_j mod N, as long as the modulus, where j is the part that `lead` lacks. Not
 * secret: with the lead's half it is the signature. Throws `RsaError` `invalid_input` when `lead` is this
 * party, and what `encodeRsaMessage` and `SigningModexp.power` throw.
 */
export function partnerPartial(input: {
  readonly share: RsaKeyShare;
  readonly lead: PartyNumber;
  readonly message: RsaMessage;
  readonly modexp: SigningModexp;
}): Buffer {
  const { share, lead, message, modexp } = input;
  const encoded = encodeFor(share, message);
  return modexp.power(share.modulus, partThatLacks(lead, share), encoded);
}

/**
 * Computes the lead's half, and the signature: as long as the modulus, and verified by `publicKey` (`rsaPublicKey` of
 * the share's values, kept by the caller) before it is returned.
 *
 * If it does not verify, the lead checks its own side before it blames. Its parts must match the commitments that all
 * three parties attested, and a second exponentiation, by a context that nothing else has used, must give the same
 * half. That one too wipes the exponent: whoever sends wrong partials must not be able to have copies of it left in
 * memory. If a check fails, it throws `RsaError` `own-share`. Otherwise it throws `partner-share` with the partner as
 * culprit, which sent a wrong partial, or computed for another message, salt or key. That conclusion rests on the key
 * being good, which every pair showed by a trial signature before the key became active. It is the lead's own: to
 * everybody else a lead that lies about a good partial looks the same.
 */
export function leadCombine(input: {
  readonly share: RsaKeyShare;
  readonly partner: PartyNumber;
  readonly partial: Uint8Array;
  readonly message: RsaMessage;
  readonly publicKey: KeyObject;
  readonly modexp: SigningModexp;
}): Buffer {
  const { share, partner, partial, message, publicKey, modexp } = input;
  if (partner === share.party)
    throw new RsaError('invalid_input', 'a party is not its own partner');
  const encoded = encodeFor(share, message);
  const exponent = addIntegers(share.own, share.next);
  try {
    const half = modexp.power(share.modulus, exponent, encoded);
    const signature = productOf(half, partial, share.modulus);
    if (signature !== undefined && isRsaSignature(message, signature, publicKey)) return signature;
    if (!hasItsCommittedParts(share)) {
      throw new RsaError('own-share', 'own parts are not those that were committed to');
    }
    if (!new SigningModexp(1).power(share.modulus, exponent, encoded).equals(half)) {
      throw new RsaError('own-share', 'own partial is not reproducible');
    }
    throw new RsaError('partner-share', `party ${partner} sent a wrong partial`, {
      culprit: partner,
    });
  } finally {
    exponent.fill(0);
  }
}

/** Whether `signature` is one of `message` under `publicKey`, by node:crypto. */
export function isRsaSignature(
  { scheme, message, salt }: RsaMessage,
  signature: Uint8Array,
  publicKey: KeyObject,
): boolean {
  const { padding, hash } = RSA_SCHEME_FORMS[scheme];
  const options =
    padding === 'pss'
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: salt.length }
      : { padding: constants.RSA_PKCS1_PADDING };
  return verify(hash, message, { key: publicKey, ...options }, signature);
}

function encodeFor(share: RsaKeyShare, message: RsaMessage): Buffer {
  return encodeRsaMessage(message, bitLengthOfBytes(share.modulus));
}

/** Returns the one of the two parts in `share` whose index is before the lead's, which has parts l and next(l). */
function partThatLacks(lead: PartyNumber, share: RsaKeyShare): Uint8Array {
  if (lead === share.party) throw new RsaError('invalid_input', 'a party is not its own partner');
  return nextParty(share.party) === lead ? share.own : share.next;
}

/** Undefined when the partial is no residue modulo N. */
function productOf(half: Uint8Array, partial: Uint8Array, modulus: Uint8Array): Buffer | undefined {
  const n = toBigInt(modulus);
  const y = toBigInt(partial);
  if (partial.length !== modulus.length || y >= n) return undefined;
  return toBytes((toBigInt(half) * y) % n, modulus.length);
}
