import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  discardDkg,
  dkgRoundOne,
  dkgRoundThree,
  dkgRoundTwo,
  ROUND_ONE_PACKAGE_BYTES,
  ROUND_TWO_PACKAGE_BYTES,
  type DkgParticipant,
  type DkgResult,
} from './dkg.js';
import type { RoundOnePackages, RoundTwoPackage } from '../../threads/dkg-packages.js';
import { aggregate, commit, IDENTIFIERS, signShare } from './frost-ed25519.js';
import { FrostError } from './frost-error.js';
import { validateKeyShare } from './frost-key-share.js';

function roundOne(): { participants: DkgParticipant[]; packages: RoundOnePackages } {
  const started = IDENTIFIERS.map(dkgRoundOne);
  const [first, second, third] = started.map((round) => round.roundOnePackage);
  if (first === undefined || second === undefined || third === undefined) throw new Error();
  return {
    participants: started.map((round) => round.participant),
    packages: [first, second, third],
  };
}

function sentTo(recipient: number, sent: readonly RoundTwoPackage[]): Uint8Array[] {
  return sent.filter((one) => one.recipient === recipient).map((one) => one.bytes);
}

function generate(): { results: DkgResult[]; packages: RoundOnePackages } {
  const { participants, packages } = roundOne();
  const sent = participants.flatMap((participant) => dkgRoundTwo(participant, packages));
  const results = participants.map((participant) =>
    dkgRoundThree(participant, packages, sentTo(participant.identifier, sent)),
  );
  return { results, packages };
}

function flip(bytes: Uint8Array, index: number): Uint8Array {
  return bytes.map((byte, at) => (at === index ? byte ^ 1 : byte));
}

function withPackage(
  packages: RoundOnePackages,
  identifier: number,
  replacement: Uint8Array,
): RoundOnePackages {
  return packages.map((one, index) =>
    index === identifier - 1 ? replacement : one,
  ) as unknown as RoundOnePackages;
}

function expectRefused(run: () => unknown): void {
  let error: unknown;
  try {
    run();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(FrostError);
  expect(error).toMatchObject({ code: 'invalid_package' });
}

describe('key generation', () => {
  test('gives all three parties the same key, and every pair signs with it', () => {
    const { results, packages } = generate();
    const [first] = results;
    if (first === undefined) throw new Error();
    for (const result of results) {
      expect(result.groupPublicKey).toEqual(first.groupPublicKey);
      expect(result.verifyingShares).toEqual(first.verifyingShares);
      expect(result.transcriptHash).toEqual(first.transcriptHash);
      expect(() => validateKeyShare(result)).not.toThrow();
    }
    const hash = createHash('sha256');
    for (const bytes of [...packages, first.groupPublicKey]) hash.update(bytes);
    expect(Buffer.from(first.transcriptHash)).toEqual(hash.digest());

    const message = Buffer.from('first use');
    for (const absent of IDENTIFIERS) {
      const pair = results.filter((result) => result.identifier !== absent);
      const nonces = pair.map((result) => commit(result.signingShare, new Uint8Array()));
      const commitments = pair.map(({ identifier }, index) => ({
        identifier,
        commitment: nonces[index]?.commitment ?? new Uint8Array(),
      }));
      const signingPackage = { groupPublicKey: first.groupPublicKey, commitments, message };
      const signatureShares = pair.map(({ identifier, signingShare }, index) => {
        const own = nonces[index];
        if (own === undefined) throw new Error();
        const input = { ...signingPackage, identifier, signingShare, nonces: own };
        return { identifier, signatureShare: signShare(input) };
      });
      expect(aggregate({ ...signingPackage, signatureShares })).toHaveLength(64);
    }
  });

  test('packages have the documented sizes and headers', () => {
    const { participants, packages } = roundOne();
    packages.forEach((bytes, index) => {
      expect(bytes).toHaveLength(ROUND_ONE_PACKAGE_BYTES);
      expect([...bytes.subarray(0, 3)]).toEqual([1, 1, index + 1]);
    });
    const [first] = participants;
    if (first === undefined) throw new Error();
    const sent = dkgRoundTwo(first, packages);
    expect(sent.map((one) => one.recipient)).toEqual([2, 3]);
    for (const one of sent) {
      expect(one.bytes).toHaveLength(ROUND_TWO_PACKAGE_BYTES);
      expect([...one.bytes.subarray(0, 4)]).toEqual([1, 2, 1, one.recipient]);
    }
  });

  // 3: first commitment, 35: second, 67: the proof's point, 99: the proof's scalar.
  test.each([0, 1, 2, 3, 35, 67, 99])(
    'a round-1 package changed at byte %d is refused',
    (index) => {
      const { participants, packages } = roundOne();
      const [first] = participants;
      if (first === undefined) throw new Error();
      const changed = withPackage(packages, 2, flip(packages[1], index));
      if (index === 35) {
        // The proof covers only the first commitment: a changed second one is another polynomial, which
        // either is no point or does not match the share that its sender computes.
        const [, second, third] = participants;
        if (second === undefined || third === undefined) throw new Error();
        expectRefused(() => {
          dkgRoundTwo(first, changed);
          const sent = [second, third].flatMap((other) => dkgRoundTwo(other, packages));
          dkgRoundThree(first, changed, sentTo(1, sent));
        });
      } else {
        expectRefused(() => dkgRoundTwo(first, changed));
      }
    },
  );

  test('a round-1 package of another length, of another sender or not our own is refused', () => {
    const { participants, packages } = roundOne();
    const [first] = participants;
    if (first === undefined) throw new Error();
    const [one, two, three] = packages;
    expectRefused(() => dkgRoundTwo(first, [one, two.subarray(1), three]));
    expectRefused(() => dkgRoundTwo(first, [one, three, two]));
    expectRefused(() => dkgRoundTwo(first, [one, two, two]));
    expectRefused(() => dkgRoundTwo(first, [dkgRoundOne(1).roundOnePackage, two, three]));
    expectRefused(() => dkgRoundTwo(first, [one, two] as unknown as RoundOnePackages));
    // A copied polynomial cancels nothing: its proof is bound to its sender.
    const copied = one.map((byte, index) => (index === 2 ? 2 : byte));
    expectRefused(() => dkgRoundTwo(first, [one, copied, three]));
  });

  test('a round-2 package that was changed, repeated, misaddressed or left out is refused', () => {
    const { participants, packages } = roundOne();
    const sent = participants.map((participant) => dkgRoundTwo(participant, packages));
    const [first] = participants;
    if (first === undefined) throw new Error();
    const [fromTwo, fromThree] = sentTo(1, sent.flat());
    const [misaddressed] = sentTo(2, sent[2] ?? []);
    if (fromTwo === undefined || fromThree === undefined || misaddressed === undefined) {
      throw new Error();
    }
    for (const received of [
      [flip(fromTwo, 4), fromThree],
      [flip(fromTwo, 35), fromThree],
      [flip(fromTwo, 0), fromThree],
      [flip(fromTwo, 1), fromThree],
      [flip(fromTwo, 2), fromThree],
      [fromTwo.subarray(1), fromThree],
      [fromTwo, fromTwo],
      [fromTwo],
      [fromTwo, fromThree, fromThree],
      [fromTwo, misaddressed],
    ]) {
      expectRefused(() => dkgRoundThree(first, packages, received));
    }
    expect(dkgRoundThree(first, packages, [fromThree, fromTwo]).identifier).toBe(1);
  });

  test('round-1 packages swapped after round 2 are refused', () => {
    const { participants, packages } = roundOne();
    const sent = participants.flatMap((participant) => dkgRoundTwo(participant, packages));
    const [first] = participants;
    if (first === undefined) throw new Error();
    const swapped = withPackage(packages, 3, dkgRoundOne(3).roundOnePackage);
    expectRefused(() => dkgRoundThree(first, swapped, sentTo(1, sent)));
  });

  test('a participant who shows two faces is found out by the transcript hashes', () => {
    // Participant 3 runs two polynomials and shows one to each of the others.
    const { participants, packages } = roundOne();
    const [first, second, third] = participants;
    const otherFace = dkgRoundOne(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error();
    const seenBySecond = withPackage(packages, 3, otherFace.roundOnePackage);

    const toFirst = [...dkgRoundTwo(second, seenBySecond), ...dkgRoundTwo(third, packages)];
    const toSecond = [
      ...dkgRoundTwo(first, packages),
      ...dkgRoundTwo(otherFace.participant, seenBySecond),
    ];
    const firstResult = dkgRoundThree(first, packages, sentTo(1, toFirst));
    const secondResult = dkgRoundThree(second, seenBySecond, sentTo(2, toSecond));
    expect(firstResult.transcriptHash).not.toEqual(secondResult.transcriptHash);
  });

  test('state cannot be used after it was discarded or finished, nor serialised', () => {
    const { participants, packages } = roundOne();
    const [first] = participants;
    if (first === undefined) throw new Error();
    expect(() => JSON.stringify(first)).toThrow('never serialised');
    discardDkg(first);
    discardDkg(first);
    expectRefused(() => dkgRoundTwo(first, packages));

    const finished = roundOne();
    const sent = finished.participants.flatMap((one) => dkgRoundTwo(one, finished.packages));
    const [, other] = finished.participants;
    if (other === undefined) throw new Error();
    dkgRoundThree(other, finished.packages, sentTo(2, sent));
    expectRefused(() => dkgRoundThree(other, finished.packages, sentTo(2, sent)));
    expectRefused(() => dkgRoundTwo(other, finished.packages));
  });
});
