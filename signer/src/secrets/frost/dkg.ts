/**
 * Distributed key generation of a 2-of-3 FROST key, with no dealer: a typed, byte-encoded interface to
 * `ed25519_FROST.DKG` of @noble/curves (Pedersen's DKG with proofs of knowledge, as in the FROST paper; RFC 9591 leaves
 * key generation out of scope).
 *
 * It does not prove that all three parties saw the same round-1 packages. A malicious participant can show each of the
 * others a different one. So a key must stay unused until the parties have compared `transcriptHash`, over channels
 * that identify the sender. Round-2 packages are secret and go to one party each, over a confidential and authenticated
 * channel.
 *
 * Noble computes on BigInt: coefficients and shares pass through memory that cannot be wiped for certain.
 */
import { createHash } from 'node:crypto';
import { ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import type { DKG_Round1, DKG_Round2, DKG_Secret } from '@noble/curves/abstract/frost.js';
import { sodium } from '@countersign/custody/sodium.js';
import {
  IDENTIFIERS,
  isIdentifier,
  POINT_BYTES,
  SIGNATURE_BYTES,
  type Identifier,
} from './frost-ed25519.js';
import { FrostError } from './frost-error.js';
import { validateKeyShare, type FrostKeyShare } from './frost-key-share.js';
import { SCALAR_BYTES } from './frost-scalars.js';
import type { RoundOnePackages, RoundTwoPackage } from '../../threads/dkg-packages.js';

const THRESHOLD = { min: 2, max: 3 };
const ENCODING_VERSION = 1;
const ROUND_ONE = 1;
const ROUND_TWO = 2;
const ROUND_ONE_HEADER_BYTES = 3;
const ROUND_TWO_HEADER_BYTES = 4;

/** Bytes of a round-1 package. */
export const ROUND_ONE_PACKAGE_BYTES = ROUND_ONE_HEADER_BYTES + 2 * POINT_BYTES + SIGNATURE_BYTES;
/** Bytes of a round-2 package. */
export const ROUND_TWO_PACKAGE_BYTES = ROUND_TWO_HEADER_BYTES + SCALAR_BYTES;

/** One participant's secret state between rounds. Only in memory; erase it with `discardDkg`. */
export class DkgParticipant {
  readonly identifier: Identifier;
  readonly #secret: DKG_Secret;
  readonly #ownPackage: Uint8Array;

  constructor(identifier: Identifier, secret: DKG_Secret, ownPackage: Uint8Array) {
    this.identifier = identifier;
    this.#secret = secret;
    this.#ownPackage = ownPackage;
  }

  static secretOf(participant: DkgParticipant): DKG_Secret {
    return participant.#secret;
  }

  static ownPackageOf(participant: DkgParticipant): Uint8Array {
    return participant.#ownPackage;
  }

  /** Refuses to be serialised: the coefficients leave this process only as round-2 packages. */
  toJSON(): never {
    throw new TypeError('key generation state is never serialised');
  }
}

export interface DkgResult extends FrostKeyShare {
  /**
   * SHA-256 over the round-1 packages of 1, 2 and 3 and the group public key, 32 bytes. All parties must
   * find the same value before the key is used.
   */
  readonly transcriptHash: Uint8Array;
}

/**
 * Round 1: draws a polynomial and commits to it.
 *
 * Returns the secret state and the package to broadcast, 131 bytes: version 1 ‖ round 1 ‖ sender ‖ two
 * commitments (32-byte points) ‖ proof of knowledge (64 bytes).
 */
export function dkgRoundOne(identifier: Identifier): {
  participant: DkgParticipant;
  roundOnePackage: Uint8Array;
} {
  const { public: broadcast, secret } = noble.DKG.round1(nobleIdentifier(identifier), THRESHOLD);
  const roundOnePackage = new Uint8Array(ROUND_ONE_PACKAGE_BYTES);
  roundOnePackage.set([ENCODING_VERSION, ROUND_ONE, identifier]);
  broadcast.commitment.forEach((point, index) =>
    roundOnePackage.set(point, ROUND_ONE_HEADER_BYTES + index * POINT_BYTES),
  );
  roundOnePackage.set(broadcast.proofOfKnowledge, ROUND_ONE_HEADER_BYTES + 2 * POINT_BYTES);
  return {
    participant: new DkgParticipant(identifier, secret, Uint8Array.from(roundOnePackage)),
    roundOnePackage,
  };
}

/**
 * Round 2: checks the others' proofs of knowledge and returns their secret packages.
 *
 * `roundOnePackages` holds this participant's own package too: it must be the one it sent. Throws
 * `FrostError` `invalid_package`, naming the culprit when one is known.
 */
export function dkgRoundTwo(
  participant: DkgParticipant,
  roundOnePackages: RoundOnePackages,
): RoundTwoPackage[] {
  const others = decodeOthersRoundOne(participant, roundOnePackages);
  const shares = refuseAsPackage('round 1', () =>
    noble.DKG.round2(DkgParticipant.secretOf(participant), others),
  );
  return othersOf(participant.identifier).map((recipient) => {
    const share = shares[nobleIdentifier(recipient)];
    if (share === undefined) throw new FrostError('invalid_package', 'round 2: no share was made');
    const bytes = new Uint8Array(ROUND_TWO_PACKAGE_BYTES);
    bytes.set([ENCODING_VERSION, ROUND_TWO, participant.identifier, recipient]);
    bytes.set(share.signingShare, ROUND_TWO_HEADER_BYTES);
    return { recipient, bytes };
  });
}

/**
 * Round 3: checks the secret packages against the round-1 commitments and computes the key.
 *
 * `roundOnePackages` must be those of round 2, `roundTwoPackages` the two packages sent to this
 * participant, in any order. The state cannot be used again. The result's signing share is secret: the
 * caller wipes it. Throws `FrostError` `invalid_package`.
 */
export function dkgRoundThree(
  participant: DkgParticipant,
  roundOnePackages: RoundOnePackages,
  roundTwoPackages: readonly Uint8Array[],
): DkgResult {
  const others = decodeOthersRoundOne(participant, roundOnePackages);
  const received = roundTwoPackages.map((bytes) => decodeRoundTwo(bytes, participant.identifier));
  const expected = othersOf(participant.identifier).map(nobleIdentifier);
  const senders = new Set(received.map((share) => share.identifier));
  if (
    received.length !== expected.length ||
    !expected.every((identifier) => senders.has(identifier))
  ) {
    throw new FrostError('invalid_package', 'round 2: one package from each other participant');
  }
  const key = refuseAsPackage('round 2', () =>
    noble.DKG.round3(DkgParticipant.secretOf(participant), others, received),
  );
  for (const share of received) sodium.sodium_memzero(share.signingShare);

  const [groupPublicKey] = key.public.commitments;
  const [first, second, third] = IDENTIFIERS.map(
    (identifier) => key.public.verifyingShares[nobleIdentifier(identifier)],
  );
  if (
    groupPublicKey === undefined ||
    first === undefined ||
    second === undefined ||
    third === undefined
  ) {
    throw new FrostError('invalid_package', 'round 3: the key is incomplete');
  }
  const share: FrostKeyShare = {
    identifier: participant.identifier,
    signingShare: key.secret.signingShare,
    groupPublicKey,
    verifyingShares: [first, second, third],
  };
  // The signing back-end checks what noble computed, before anyone relies on it.
  validateKeyShare(share);

  const transcript = createHash('sha256');
  for (const bytes of roundOnePackages) transcript.update(bytes);
  const transcriptHash = Uint8Array.from(transcript.update(groupPublicKey).digest());
  return { ...share, transcriptHash };
}

/** Erases what can be erased of a participant's state. Safe to call at any point, more than once. */
export function discardDkg(participant: DkgParticipant): void {
  noble.DKG.clean(DkgParticipant.secretOf(participant));
}

function decodeOthersRoundOne(
  participant: DkgParticipant,
  packages: RoundOnePackages,
): DKG_Round1[] {
  if (packages.length !== IDENTIFIERS.length) {
    throw new FrostError('invalid_package', 'round 1: three packages are needed');
  }
  const decoded = IDENTIFIERS.map((identifier, index) =>
    decodeRoundOne(packages[index], identifier),
  );
  // Otherwise the transcript hash would attest a package this participant never sent.
  const own = packages[participant.identifier - 1];
  if (own === undefined || Buffer.compare(own, DkgParticipant.ownPackageOf(participant)) !== 0) {
    throw new FrostError('invalid_package', 'round 1: own package is not the one that was sent');
  }
  return decoded.filter((_, index) => IDENTIFIERS[index] !== participant.identifier);
}

function decodeRoundOne(bytes: Uint8Array | undefined, sender: Identifier): DKG_Round1 {
  if (
    bytes?.length !== ROUND_ONE_PACKAGE_BYTES ||
    bytes[0] !== ENCODING_VERSION ||
    bytes[1] !== ROUND_ONE ||
    bytes[2] !== sender
  ) {
    throw new FrostError('invalid_package', `round 1: not a package of participant ${sender}`, {
      culprits: [sender],
    });
  }
  const at = (start: number, length: number): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(bytes.subarray(start, start + length));
  return {
    identifier: nobleIdentifier(sender),
    commitment: [
      at(ROUND_ONE_HEADER_BYTES, POINT_BYTES),
      at(ROUND_ONE_HEADER_BYTES + POINT_BYTES, POINT_BYTES),
    ],
    proofOfKnowledge: at(ROUND_ONE_HEADER_BYTES + 2 * POINT_BYTES, SIGNATURE_BYTES),
  };
}

function decodeRoundTwo(bytes: Uint8Array, recipient: Identifier): DKG_Round2 {
  const sender = bytes[2];
  if (
    bytes.length !== ROUND_TWO_PACKAGE_BYTES ||
    bytes[0] !== ENCODING_VERSION ||
    bytes[1] !== ROUND_TWO ||
    !isIdentifier(sender) ||
    bytes[3] !== recipient
  ) {
    throw new FrostError('invalid_package', `round 2: not a package for participant ${recipient}`);
  }
  return {
    identifier: nobleIdentifier(sender),
    signingShare: Uint8Array.from(bytes.subarray(ROUND_TWO_HEADER_BYTES)),
  };
}

function othersOf(identifier: Identifier): Identifier[] {
  return IDENTIFIERS.filter((other) => other !== identifier);
}

function nobleIdentifier(identifier: Identifier): string {
  return noble.Identifier.fromNumber(identifier);
}

function refuseAsPackage<T>(round: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : 'unknown reason';
    throw new FrostError('invalid_package', `${round}: refused: ${detail}`, { cause });
  }
}
