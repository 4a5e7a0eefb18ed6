/**
 * FROST(Ed25519, SHA-512), RFC 9591, for two signers out of three, on libsodium.
 *
 * The output is an ordinary Ed25519 signature under the group public key. Point operations run in
 * sodium-native, secret scalar products in frost-scalars.ts. Encodings (RFC 9591, section 6.1): scalars
 * are 32 bytes little-endian, points 32 bytes compressed, a nonce commitment is D ‖ E, 64 bytes.
 *
 * The one fatal mistake with this scheme is to use a nonce twice: two signature shares over different
 * challenges under one nonce reveal the key share. So `signShare` wipes the nonces it is given on every
 * path, failures included, and refuses wiped ones.
 */
import { createHash } from 'node:crypto';
import type { SignatureScheme } from '@countersign/core/signature-schemes.js';
import { sodium } from '@countersign/custody/sodium.js';
import { ed25519ph } from '@noble/curves/ed25519.js';
import { FrostError } from './frost-error.js';
import {
  isCanonicalScalar,
  isZeroScalar,
  SCALAR_BYTES,
  scalarAdd,
  scalarMul,
  scalarMulAdd,
  scalarReduce,
} from './frost-scalars.js';

export const POINT_BYTES = 32;
export const COMMITMENT_BYTES = 2 * POINT_BYTES;
export const SIGNATURE_BYTES = 64;

/** A participant of a key: the party's number. Its scalar is the number itself. */
export type Identifier = 1 | 2 | 3;
export const IDENTIFIERS: readonly Identifier[] = [1, 2, 3];

/** A signer's entry of the commitment list (RFC 9591, section 4.3). */
export interface NonceCommitment {
  readonly identifier: number;
  /** hiding_nonce_commitment ‖ binding_nonce_commitment, 64 bytes. */
  readonly commitment: Uint8Array;
}

/** The secret nonces of one signing attempt (RFC 9591, section 5.1), with what was published for them. */
export interface SigningNonces {
  /** hiding_nonce, a 32-byte scalar. Secret. */
  readonly hiding: Uint8Array;
  /** binding_nonce, a 32-byte scalar. Secret. */
  readonly binding: Uint8Array;
  /** D ‖ E as published, 64 bytes. */
  readonly commitment: Uint8Array;
}

/** What both round-two signers and the aggregator work on (RFC 9591, sections 5.2 and 5.3). */
export interface SigningPackage {
  /** 32-byte point. */
  readonly groupPublicKey: Uint8Array;
  /** Two entries with valid, different identifiers, in ascending order. */
  readonly commitments: readonly NonceCommitment[];
  readonly message: Uint8Array;
  /** `ed25519` (pure) when absent; `ed25519ph` signs SHA-512(message) under RFC 8032's own domain. */
  readonly scheme?: SignatureScheme;
}

export interface SignShareInput extends SigningPackage {
  /** The signer's own identifier. */
  readonly identifier: number;
  /** The signer's 32-byte scalar. Secret; the caller wipes it. */
  readonly signingShare: Uint8Array;
  /** Wiped by the call. */
  readonly nonces: SigningNonces;
}

export interface SignatureShare {
  readonly identifier: number;
  /** 32-byte scalar. */
  readonly signatureShare: Uint8Array;
}

/** The verifying shares of participants 1, 2 and 3 in that order, 32-byte points. */
export type VerifyingShares = readonly [Uint8Array, Uint8Array, Uint8Array];

type SigningPair = readonly [NonceCommitment, NonceCommitment];

const CONTEXT = 'FROST-ED25519-SHA512-v1';
const RHO_PREFIX = Buffer.from(`${CONTEXT}rho`);
const NONCE_PREFIX = Buffer.from(`${CONTEXT}nonce`);
const MESSAGE_PREFIX = Buffer.from(`${CONTEXT}msg`);
const PREHASHED_MESSAGE_PREFIX = Buffer.from(`${CONTEXT}ph`);
const COMMITMENTS_PREFIX = Buffer.from(`${CONTEXT}com`);
const NO_PREFIX = new Uint8Array(0);
const NONCE_RANDOMNESS_BYTES = 32;
const USE_DIGEST_BYTES = 64;
const MIN_HEDGE_BYTES = 32;

// big-endian, so that bytes compare as numbers
const FIELD_ORDER = Buffer.from(`7f${'ff'.repeat(30)}ed`, 'hex');
const ONE = Buffer.from(`${'00'.repeat(31)}01`, 'hex');

// id(i) for i = 1..3: RFC 9591 encodes an identifier as a scalar.
const IDENTIFIER_SCALARS = IDENTIFIERS.map((identifier) => {
  const scalar = new Uint8Array(SCALAR_BYTES);
  scalar[0] = identifier;
  return scalar;
});

// λ for every ordered pair; three identifiers give six values, so none is ever computed while signing.
const LAGRANGE = new Map<string, Uint8Array>(
  IDENTIFIERS.flatMap((own) =>
    IDENTIFIERS.filter((other) => other !== own).map((other): [string, Uint8Array] => [
      `${own},${other}`,
      interpolatingValue(own, other),
    ]),
  ),
);

export function isIdentifier(value: unknown): value is Identifier {
  return value === 1 || value === 2 || value === 3;
}

/** H1 (RFC 9591, section 6.1): binding factors. 32-byte scalar. */
function h1(...parts: readonly Uint8Array[]): Uint8Array {
  return hashToScalar(RHO_PREFIX, parts);
}

/** H2: the challenge, with no prefix, exactly Ed25519's own. 32-byte scalar. */
function h2(...parts: readonly Uint8Array[]): Uint8Array {
  return hashToScalar(NO_PREFIX, parts);
}

/** `dom2(1, "")` of RFC 8032, section 2: the domain of Ed25519ph with an empty context. */
const PREHASH_DOMAIN = Buffer.concat([
  Buffer.from('SigEd25519 no Ed25519 collisions', 'ascii'),
  Buffer.from([1, 0]),
]);

/** The challenge of RFC 8032, section 5.1.6: H2 for pure Ed25519, behind the domain for Ed25519ph. */
function challengeOf(input: SigningPackage, group: Uint8Array): Uint8Array {
  const { scheme, message, groupPublicKey } = input;
  return scheme === 'ed25519ph'
    ? h2(PREHASH_DOMAIN, group, groupPublicKey, sha512(NO_PREFIX, [message]))
    : h2(group, groupPublicKey, message);
}

/**
 * Returns H4 of the message. For Ed25519ph, which RFC 9591 does not define, it is H4 of the prehash under a prefix of
 * its own. Whatever changes the challenge must change the binding factors. Were they equal for a message signed in both
 * schemes, one nonce commitment would serve two challenges, as in the attack on two-round Schnorr signing that binding
 * factors prevent.
 */
function messageDigest({ scheme, message }: SigningPackage): Uint8Array {
  return scheme === 'ed25519ph'
    ? sha512(PREHASHED_MESSAGE_PREFIX, [sha512(NO_PREFIX, [message])])
    : h4(message);
}

/** Strict verification. libsodium's binding has no Ed25519ph: noble checks that, 30 times slower. */
function isSignatureOf(input: SigningPackage, signature: Uint8Array): boolean {
  const { message, groupPublicKey } = input;
  return input.scheme === 'ed25519ph'
    ? ed25519ph.verify(signature, message, groupPublicKey, { zip215: false })
    : sodium.crypto_sign_verify_detached(signature, message, groupPublicKey);
}

/** H3: nonces. 32-byte scalar. */
function h3(...parts: readonly Uint8Array[]): Uint8Array {
  return hashToScalar(NONCE_PREFIX, parts);
}

/** H4: the message digest. 64 bytes. */
function h4(...parts: readonly Uint8Array[]): Uint8Array {
  return sha512(MESSAGE_PREFIX, parts);
}

/** H5: the commitment list digest. 64 bytes. */
function h5(...parts: readonly Uint8Array[]): Uint8Array {
  return sha512(COMMITMENTS_PREFIX, parts);
}

/**
 * Round one, `commit` (RFC 9591, section 5.1): fresh nonces and their commitment.
 *
 * `hedgeSecret` is any secret of at least 32 bytes. RFC 9591 hashes the signing share into each nonce so that a weak
 * random source alone does not reveal it. The nonce does not otherwise depend on the key, so a pool that serves many
 * keys passes a secret of the process instead.
 *
 * `use` says what the nonces are for, as far as it is known: it goes behind the secret, hashed. A random source that
 * gives the same twice (a virtual machine that is set back) then gives other nonces for another use. For the same use
 * it gives the same nonces again. So a use must name all that a signature share depends on, or be one that never comes
 * again: the same share twice tells nothing that it did not tell once.
 */
export function commit(hedgeSecret: Uint8Array, use: Uint8Array): SigningNonces {
  const randomness = new Uint8Array(2 * NONCE_RANDOMNESS_BYTES);
  const boundSecret = new Uint8Array(hedgeSecret.length + USE_DIGEST_BYTES);
  try {
    requireHedge(hedgeSecret);
    sodium.randombytes_buf(randomness);
    boundSecret.set(hedgeSecret);
    boundSecret.set(sha512(NO_PREFIX, [use]), hedgeSecret.length);
    return commitFromRandomness(randomness, boundSecret);
  } finally {
    sodium.sodium_memzero(randomness);
    sodium.sodium_memzero(boundSecret);
  }
}

/**
 * `commit` with the randomness given: 32 bytes for the hiding nonce, then 32 for the binding nonce. Only
 * for `commit` and for known-answer tests: the same input gives the same nonces again.
 */
export function commitFromRandomness(
  randomness: Uint8Array,
  hedgeSecret: Uint8Array,
): SigningNonces {
  requireLength(randomness, 2 * NONCE_RANDOMNESS_BYTES, 'randomness');
  requireHedge(hedgeSecret);
  const hiding = h3(randomness.subarray(0, NONCE_RANDOMNESS_BYTES), hedgeSecret);
  const binding = h3(randomness.subarray(NONCE_RANDOMNESS_BYTES), hedgeSecret);
  const commitment = new Uint8Array(COMMITMENT_BYTES);
  // Throws on a zero nonce (probability 2^-252), whose commitment would be the identity.
  sodium.crypto_scalarmult_ed25519_base_noclamp(commitment.subarray(0, POINT_BYTES), hiding);
  sodium.crypto_scalarmult_ed25519_base_noclamp(commitment.subarray(POINT_BYTES), binding);
  return { hiding, binding, commitment };
}

function requireHedge(secret: Uint8Array): void {
  if (secret.length < MIN_HEDGE_BYTES) {
    throw new FrostError('invalid_input', 'hedge secret under 32 bytes');
  }
}

export function wipeNonces(nonces: SigningNonces): void {
  sodium.sodium_memzero(nonces.hiding);
  sodium.sodium_memzero(nonces.binding);
}

/**
 * True when both halves of D ‖ E are canonical encodings of points of prime order, the identity
 * excluded (RFC 9591, section 6.1, DeserializeElement).
 */
export function isValidCommitment(commitment: Uint8Array): boolean {
  return (
    commitment.length === COMMITMENT_BYTES &&
    isValidPoint(commitment.subarray(0, POINT_BYTES)) &&
    isValidPoint(commitment.subarray(POINT_BYTES))
  );
}

/** True for the canonical encoding of a point of prime order, the identity excluded. */
export function isValidPoint(point: Uint8Array): boolean {
  return point.length === POINT_BYTES && sodium.crypto_core_ed25519_is_valid_point(point);
}

/**
 * `compute_binding_factors` (RFC 9591, section 4.4): a 32-byte scalar per entry of the list, in its
 * order. Throws `invalid_input` for a list that is not two different signers in order.
 */
export function bindingFactors(input: SigningPackage): [Uint8Array, Uint8Array] {
  const pair = requireSigningPackage(input);
  const encodedList = pair.flatMap((entry) => [
    identifierScalar(entry.identifier),
    entry.commitment,
  ]);
  const prefix = [input.groupPublicKey, messageDigest(input), h5(...encodedList)] as const;
  return [
    h1(...prefix, identifierScalar(pair[0].identifier)),
    h1(...prefix, identifierScalar(pair[1].identifier)),
  ];
}

/**
 * `compute_group_commitment` (RFC 9591, section 4.5) from public values: Σ D + ρ·E, a 32-byte point.
 * Throws `invalid_commitment` naming the signer whose points are not canonical and of prime order.
 */
export function groupCommitment(
  commitments: readonly NonceCommitment[],
  factors: readonly [Uint8Array, Uint8Array],
): Uint8Array {
  const pair = requirePair(commitments);
  const sum = commitmentShare(pair[0], factors[0]);
  return addPoints(sum, commitmentShare(pair[1], factors[1]));
}

/**
 * Round two, `sign` (RFC 9591, section 5.2): this signer's 32-byte signature share.
 *
 * Wipes the nonces whatever happens. Throws `FrostError`: `spent_nonce` for wiped nonces,
 * `invalid_commitment` with the culprit for the other signer's bad points, `invalid_input` otherwise
 * (own commitment missing from the list, duplicate or unordered or unknown identifiers, bad lengths).
 */
export function signShare(input: SignShareInput): Uint8Array {
  return computeShare(input, commitmentShare).signatureShare;
}

/**
 * `aggregate` (RFC 9591, section 5.3): the 64-byte signature, verified under the group public key before
 * it is returned.
 *
 * Throws `invalid_commitment` for bad points, `invalid_input` for shares that do not match the list, and
 * `invalid_share` when the sum is not a signature; the culprits are named when `verifyingShares` is given.
 */
export function aggregate(
  input: SigningPackage & {
    readonly signatureShares: readonly SignatureShare[];
    readonly verifyingShares?: VerifyingShares;
  },
): Uint8Array {
  const pair = requireSigningPackage(input);
  const group = groupCommitment(pair, bindingFactors(input));
  return combine(input, group, input.signatureShares);
}

/**
 * Does the work of a signer who also aggregates: `sign`, then `aggregate` with the other signer's share. It computes
 * the group commitment, which is most of the cost, only once.
 *
 * Returns the verified 64-byte signature. Throws as `signShare` and `aggregate` do.
 */
export function signAndAggregate(
  input: SignShareInput & {
    /** The other signer's 32-byte scalar. */
    readonly otherSignatureShare: Uint8Array;
    readonly verifyingShares: VerifyingShares;
  },
): Uint8Array {
  // noble, which verifies Ed25519ph, multiplies by the cofactor first: that says nothing of a point's order
  const othersPart = input.scheme === 'ed25519ph' ? commitmentShare : signedCommitmentShare;
  const own = computeShare(input, othersPart);
  return combine(input, own.groupCommitment, [
    { identifier: input.identifier, signatureShare: own.signatureShare },
    { identifier: own.otherIdentifier, signatureShare: input.otherSignatureShare },
  ]);
}

/**
 * `verify_signature_share` (RFC 9591, section 5.4): true when the share is the one its signer had to
 * send. Used to name the culprit after a failed aggregation; all its inputs are public.
 * Throws as `aggregate` does for a malformed signing package.
 */
export function verifyShare(
  input: SigningPackage &
    SignatureShare & {
      /** The signer's 32-byte verifying share. */
      readonly verifyingShare: Uint8Array;
    },
): boolean {
  const pair = requireSigningPackage(input);
  const factors = bindingFactors(input);
  const index = pair[0].identifier === input.identifier ? 0 : 1;
  const [entry, other] = index === 0 ? [pair[0], pair[1]] : [pair[1], pair[0]];
  if (entry.identifier !== input.identifier) {
    throw new FrostError('invalid_input', 'the share is not from a signer in the list');
  }
  const ownShare = commitmentShare(entry, factors[index]);
  const group = addPoints(
    commitmentShare(other, factors[index === 0 ? 1 : 0]),
    Uint8Array.from(ownShare),
  );
  const challenge = challengeOf(input, group);
  if (!isCanonicalScalar(input.signatureShare) || isZeroScalar(input.signatureShare)) return false;
  if (!isValidPoint(input.verifyingShare)) return false;

  const left = new Uint8Array(POINT_BYTES);
  sodium.crypto_scalarmult_ed25519_base_noclamp(left, input.signatureShare);
  const right = new Uint8Array(POINT_BYTES);
  const factor = scalarMul(challenge, lagrange(entry.identifier, other.identifier));
  sodium.crypto_scalarmult_ed25519_noclamp(right, factor, input.verifyingShare);
  return equalPoints(left, addPoints(right, ownShare));
}

/** Point addition of valid points: returns p + q, written over `p`. Does not check the subgroup. */
export function addPoints(p: Uint8Array, q: Uint8Array): Uint8Array {
  sodium.crypto_core_ed25519_add(p, p, q);
  return p;
}

export function equalPoints(p: Uint8Array, q: Uint8Array): boolean {
  return Buffer.compare(p, q) === 0;
}

interface ComputedShare {
  signatureShare: Uint8Array;
  groupCommitment: Uint8Array;
  otherIdentifier: number;
}

function computeShare(input: SignShareInput, partOf: typeof commitmentShare): ComputedShare {
  const { nonces } = input;
  try {
    const pair = requireSigningPackage(input);
    requireNonces(nonces);
    const ownIndex = pair[0].identifier === input.identifier ? 0 : 1;
    const [own, other] = ownIndex === 0 ? [pair[0], pair[1]] : [pair[1], pair[0]];
    // Signing under a commitment that is not ours would let a coordinator choose our binding factor.
    if (own.identifier !== input.identifier || !equalPoints(own.commitment, nonces.commitment)) {
      throw new FrostError('invalid_input', 'own commitment is not in the list');
    }
    if (!isCanonicalScalar(input.signingShare) || isZeroScalar(input.signingShare)) {
      throw new FrostError('invalid_input', 'the signing share is not a scalar');
    }

    const factors = bindingFactors(input);
    const othersPart = partOf(other, factors[ownIndex === 0 ? 1 : 0]);
    // k = d + ρ·e, so that k·B is this signer's part of R (one fixed-base multiplication where D + ρ·E
    // would take a variable-base one), and k is also the first half of the signature share.
    const k = scalarMulAdd(factors[ownIndex], nonces.binding, nonces.hiding);
    try {
      const group = new Uint8Array(POINT_BYTES);
      sodium.crypto_scalarmult_ed25519_base_noclamp(group, k);
      addPoints(group, othersPart);
      const challenge = challengeOf(input, group);
      const weight = scalarMul(lagrange(own.identifier, other.identifier), challenge);
      return {
        signatureShare: scalarMulAdd(weight, input.signingShare, k),
        groupCommitment: group,
        otherIdentifier: other.identifier,
      };
    } finally {
      sodium.sodium_memzero(k);
    }
  } finally {
    wipeNonces(nonces);
  }
}

function combine(
  input: SigningPackage & { readonly verifyingShares?: VerifyingShares },
  group: Uint8Array,
  shares: readonly SignatureShare[],
): Uint8Array {
  const ordered = input.commitments.map((entry) => {
    const share = shares.find((candidate) => candidate.identifier === entry.identifier);
    if (share === undefined || shares.length !== input.commitments.length) {
      throw new FrostError('invalid_input', 'the shares are not from the signers in the list');
    }
    return share;
  });
  // A share of L or more would add up to the same signature. It is refused, so that one share has one encoding.
  const malformed = ordered.filter((share) => !isCanonicalScalar(share.signatureShare));
  const [first, second] = ordered;
  if (malformed.length > 0 || first === undefined || second === undefined) {
    throw new FrostError('invalid_share', 'a signature share is not a scalar', {
      culprits: malformed.map((share) => share.identifier),
    });
  }
  const signature = new Uint8Array(SIGNATURE_BYTES);
  signature.set(group);
  signature.set(scalarAdd(first.signatureShare, second.signatureShare), POINT_BYTES);
  if (isSignatureOf(input, signature)) {
    return signature;
  }
  const { verifyingShares } = input;
  const culprits =
    verifyingShares === undefined
      ? []
      : ordered.filter((share) => {
          const verifyingShare = verifyingShares[share.identifier - 1];
          return (
            verifyingShare === undefined || !verifyShare({ ...input, ...share, verifyingShare })
          );
        });
  throw new FrostError('invalid_share', 'the signature shares do not make a signature', {
    culprits: culprits.map((share) => share.identifier),
  });
}

/** D + ρ·E of another signer. Every point that enters the arithmetic is checked here. */
function commitmentShare(entry: NonceCommitment, factor: Uint8Array): Uint8Array {
  return sumOfCommitment(entry, factor, isValidPoint);
}

/**
 * D + ρ·E of another signer, for a signer who releases no share, and only a signature that libsodium has verified under
 * the group key. It saves half the check of a point, for the same guarantee. Group key, own part and E are of prime
 * order, and verification is without cofactor (RFC 8032, section 5.1.7; `frostSelfTest` asks for it), so R = z·B − c·Y
 * is as well, and with it D. The other faults of a point show in its encoding.
 */
function signedCommitmentShare(entry: NonceCommitment, factor: Uint8Array): Uint8Array {
  return sumOfCommitment(entry, factor, isCanonicalBesidesIdentity);
}

function sumOfCommitment(
  entry: NonceCommitment,
  factor: Uint8Array,
  isHiding: (point: Uint8Array) => boolean,
): Uint8Array {
  const hiding = entry.commitment.subarray(0, POINT_BYTES);
  const out = new Uint8Array(POINT_BYTES);
  try {
    // Point addition takes torsion points and the identity, so D needs a check of its own; the
    // multiplication makes the same checks on E and throws.
    if (!isHiding(hiding)) throw new Error('the hiding nonce commitment is not a valid point');
    sodium.crypto_scalarmult_ed25519_noclamp(out, factor, entry.commitment.subarray(POINT_BYTES));
    return addPoints(out, hiding);
  } catch (cause) {
    throw new FrostError(
      'invalid_commitment',
      `the nonce commitment of participant ${entry.identifier} is not two points of prime order`,
      { culprits: [entry.identifier], cause },
    );
  }
}

/**
 * Checks y with the sign of x above it, 32 bytes little-endian (RFC 8032, section 5.1.2): y is below 2^255 − 19, and
 * not 1.
 */
function isCanonicalBesidesIdentity(point: Uint8Array): boolean {
  const y = Buffer.from(point).reverse();
  y[0]! &= 0x7f;
  return Buffer.compare(y, FIELD_ORDER) < 0 && Buffer.compare(y, ONE) !== 0;
}

function requireSigningPackage(input: SigningPackage): SigningPair {
  requireLength(input.groupPublicKey, POINT_BYTES, 'group public key');
  return requirePair(input.commitments);
}

function requirePair(commitments: readonly NonceCommitment[]): SigningPair {
  const [first, second] = commitments;
  if (first === undefined || second === undefined || commitments.length !== 2) {
    throw new FrostError('invalid_input', 'the commitment list must have two entries');
  }
  for (const entry of [first, second]) {
    if (!isIdentifier(entry.identifier)) {
      throw new FrostError('invalid_input', `no participant ${entry.identifier}`);
    }
    requireLength(entry.commitment, COMMITMENT_BYTES, 'nonce commitment');
  }
  if (first.identifier === second.identifier) {
    throw new FrostError('invalid_input', `participant ${first.identifier} is in the list twice`);
  }
  if (first.identifier > second.identifier) {
    throw new FrostError('invalid_input', 'the commitment list is not in order of identifiers');
  }
  return [first, second];
}

function requireNonces(nonces: SigningNonces): void {
  requireLength(nonces.hiding, SCALAR_BYTES, 'hiding nonce');
  requireLength(nonces.binding, SCALAR_BYTES, 'binding nonce');
  if (isZeroScalar(nonces.hiding) || isZeroScalar(nonces.binding)) {
    throw new FrostError('spent_nonce', 'the nonces were used or wiped before');
  }
}

function requireLength(bytes: Uint8Array, length: number, what: string): void {
  if (bytes.length !== length) {
    throw new FrostError('invalid_input', `${what}: ${bytes.length} bytes, expected ${length}`);
  }
}

/** id(i), 32 bytes: not to be written to. */
export function identifierScalar(identifier: number): Uint8Array {
  const scalar = IDENTIFIER_SCALARS[identifier - 1];
  if (scalar === undefined) throw new FrostError('invalid_input', `no participant ${identifier}`);
  return scalar;
}

/** λ of `own` in the pair with `other`, 32 bytes: not to be written to. */
export function lagrange(own: number, other: number): Uint8Array {
  const value = LAGRANGE.get(`${own},${other}`);
  if (value === undefined) throw new FrostError('invalid_input', `no pair ${own}, ${other}`);
  return value;
}

/**
 * `derive_interpolating_value` (RFC 9591, section 4.2) for two signers: other / (other − own) mod L.
 * The difference is ±1 or ±2. Identifiers are public, so BigInt is safe here.
 */
function interpolatingValue(own: number, other: number): Uint8Array {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const half = (order + 1n) / 2n;
  const difference = other - own;
  const inverse = (Math.abs(difference) === 2 ? half : 1n) * BigInt(Math.sign(difference));
  let value = (((BigInt(other) * inverse) % order) + order) % order;
  const scalar = new Uint8Array(SCALAR_BYTES);
  for (let i = 0; i < SCALAR_BYTES; i++, value >>= 8n) scalar[i] = Number(value & 0xffn);
  return scalar;
}

function hashToScalar(prefix: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const digest = sha512(prefix, parts);
  const scalar = scalarReduce(digest);
  // The digest behind a nonce is as secret as the nonce.
  sodium.sodium_memzero(digest);
  return scalar;
}

function sha512(prefix: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha512').update(prefix);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
