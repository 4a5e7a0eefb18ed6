/**
 * One party's share of a FROST key, in the form that is sealed at rest.
 *
 * The public values travel inside the seal with the secret. A party then signs only under the group key its share was
 * made for, and names a culprit by verifying shares nobody could swap in the database.
 */
import { sodium } from '@countersign/custody/sodium.js';
import {
  addPoints,
  equalPoints,
  isIdentifier,
  isValidPoint,
  POINT_BYTES,
  type Identifier,
  type VerifyingShares,
} from './frost-ed25519.js';
import { FrostError } from './frost-error.js';
import { isCanonicalScalar, isZeroScalar, SCALAR_BYTES } from './frost-scalars.js';

export interface FrostKeyShare {
  readonly identifier: Identifier;
  /** 32-byte scalar, little-endian. Secret. */
  readonly signingShare: Uint8Array;
  /** 32-byte point. */
  readonly groupPublicKey: Uint8Array;
  readonly verifyingShares: VerifyingShares;
}

/** Names this form of secret where it is sealed (`ShareContext.scheme`). */
export const FROST_SCHEME = 'frost-ed25519';

const ENCODING_VERSION = 1;
const HEADER_BYTES = 2;
const FIELD_BYTES = SCALAR_BYTES;
export const KEY_SHARE_BYTES = HEADER_BYTES + 5 * FIELD_BYTES;

/**
 * Encodes a share, 162 bytes: version 1 ‖ identifier ‖ signing share ‖ group public key ‖ verifying
 * shares of 1, 2, 3. Secret: the caller wipes it. Checks nothing; see `validateKeyShare`.
 */
export function encodeKeyShare(share: FrostKeyShare): Uint8Array {
  const out = new Uint8Array(KEY_SHARE_BYTES);
  out.set([ENCODING_VERSION, share.identifier]);
  const fields = [share.signingShare, share.groupPublicKey, ...share.verifyingShares];
  fields.forEach((field, index) => out.set(field, HEADER_BYTES + index * FIELD_BYTES));
  return out;
}

/**
 * Decodes a share. The result is views into `bytes`, so that wiping `bytes` wipes the signing share.
 * Throws `FrostError` `invalid_input` for another length, version or identifier.
 */
export function decodeKeyShare(bytes: Uint8Array): FrostKeyShare {
  const identifier = bytes[1];
  if (
    bytes.length !== KEY_SHARE_BYTES ||
    bytes[0] !== ENCODING_VERSION ||
    !isIdentifier(identifier)
  ) {
    throw new FrostError('invalid_input', 'not an encoded FROST key share');
  }
  const field = (index: number): Uint8Array =>
    bytes.subarray(HEADER_BYTES + index * FIELD_BYTES, HEADER_BYTES + (index + 1) * FIELD_BYTES);
  return {
    identifier,
    signingShare: field(0),
    groupPublicKey: field(1),
    verifyingShares: [field(2), field(3), field(4)],
  };
}

/**
 * Checks that a share is a scalar in 1..L−1 and belongs to its verifying share, and that all points are of prime order.
 * The three verifying shares and the group key must lie on one line, so that every pair signs under the same key. For
 * shares that were just generated or imported. Throws `FrostError` `invalid_input`.
 */
export function validateKeyShare(share: FrostKeyShare): void {
  const [first, second, third] = share.verifyingShares;
  if (![share.groupPublicKey, first, second, third].every(isValidPoint)) {
    throw new FrostError(
      'invalid_input',
      'key share: a public value is not a point of prime order',
    );
  }
  if (!isCanonicalScalar(share.signingShare) || isZeroScalar(share.signingShare)) {
    throw new FrostError('invalid_input', 'key share: the signing share is not a scalar');
  }
  const own = new Uint8Array(POINT_BYTES);
  sodium.crypto_scalarmult_ed25519_base_noclamp(own, share.signingShare);
  if (!equalPoints(own, share.verifyingShares[share.identifier - 1] ?? new Uint8Array())) {
    throw new FrostError(
      'invalid_input',
      'key share: the secret is not that of its verifying share',
    );
  }
  // Equal steps from f(0)·B to f(3)·B: f(0) + f(2) = 2·f(1) and f(1) + f(3) = 2·f(2).
  if (
    !equalPoints(sumOf(share.groupPublicKey, second), sumOf(first, first)) ||
    !equalPoints(sumOf(first, third), sumOf(second, second))
  ) {
    throw new FrostError('invalid_input', 'key share: the verifying shares are not of one key');
  }
}

/**
 * Feldman: commitments s·B and a·B give each party's verifying share s·B + i·(a·B). Both must be valid points of the
 * prime-order subgroup.
 */
export function verifyingSharesOf(constant: Uint8Array, slope: Uint8Array): VerifyingShares {
  const first = sumOf(constant, slope);
  const second = sumOf(first, slope);
  return [first, second, sumOf(second, slope)];
}

function sumOf(p: Uint8Array, q: Uint8Array): Uint8Array {
  return addPoints(Uint8Array.from(p), q);
}
