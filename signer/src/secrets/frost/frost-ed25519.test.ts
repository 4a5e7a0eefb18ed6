import { createHash, createPublicKey, verify } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ed25519,
  ed25519_FROST as noble,
  ED25519_TORSION_SUBGROUP,
  ed25519ph,
} from '@noble/curves/ed25519.js';
import type { FrostPublic } from '@noble/curves/abstract/frost.js';
import fc from 'fast-check';
import {
  aggregate,
  bindingFactors,
  commit,
  commitFromRandomness,
  groupCommitment,
  isValidCommitment,
  signAndAggregate,
  signShare,
  verifyShare,
  type NonceCommitment,
  type SigningNonces,
  type SigningPackage,
  type VerifyingShares,
} from './frost-ed25519.js';
import { FrostError } from './frost-error.js';
import { RFC9591_ED25519 as vector } from './rfc9591-vector.js';
import { scalarMulAdd } from './frost-scalars.js';
import { frostReferenceSelfTest, frostSelfTest, requireNoCofactor } from './frost-self-test.js';

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const PAIRS: readonly (readonly [number, number])[] = [
  [1, 2],
  [1, 3],
  [2, 3],
];
const IDENTITY = ed25519.Point.ZERO.toBytes();

interface TestKey {
  groupPublicKey: Uint8Array;
  signingShares: Map<number, Uint8Array>;
  verifyingShares: VerifyingShares;
  noblePublic: FrostPublic;
}

function dealtKey(secretScalar?: Uint8Array): TestKey {
  const dealt = noble.trustedDealer({ min: 2, max: 3 }, undefined, secretScalar);
  const id = (n: number): string => noble.Identifier.fromNumber(n);
  const share = (n: number): Uint8Array => dealt.secretShares[id(n)]?.signingShare ?? fail();
  const point = (n: number): Uint8Array => dealt.public.verifyingShares[id(n)] ?? fail();
  return {
    groupPublicKey: dealt.public.commitments[0] ?? fail(),
    signingShares: new Map([1, 2, 3].map((n) => [n, share(n)])),
    verifyingShares: [point(1), point(2), point(3)],
    noblePublic: dealt.public,
  };
}

function fail(): never {
  throw new Error('missing in the test key');
}

function shareOf(key: TestKey, identifier: number): Uint8Array {
  return key.signingShares.get(identifier) ?? fail();
}

function isEd25519Signature(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  const x = Buffer.from(key).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, publicKey, signature);
}

const USE = new Uint8Array();

/** A pair's commitments and nonces, as after round one. */
function roundOne(key: TestKey, pair: readonly number[], message: Uint8Array) {
  const nonces = new Map(pair.map((n) => [n, commit(shareOf(key, n), USE)]));
  const commitments = pair.map((identifier) => ({
    identifier,
    commitment: nonces.get(identifier)?.commitment ?? fail(),
  }));
  const signingPackage = { groupPublicKey: key.groupPublicKey, message, commitments };
  const signFor = (identifier: number): Uint8Array =>
    signShare({
      ...signingPackage,
      identifier,
      signingShare: shareOf(key, identifier),
      nonces: nonces.get(identifier) ?? fail(),
    });
  return { nonces, signingPackage, signFor };
}

function refusal(run: () => unknown): FrostError {
  try {
    run();
  } catch (error) {
    if (error instanceof FrostError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function encodeScalar(value: bigint): Uint8Array {
  return Uint8Array.from(noble.utils.Fn.toBytes(value));
}

function noncesFrom(hiding: bigint, binding: bigint): SigningNonces {
  const commitment = Buffer.concat([
    ed25519.Point.BASE.multiply(hiding).toBytes(),
    ed25519.Point.BASE.multiply(binding).toBytes(),
  ]);
  return {
    hiding: encodeScalar(hiding),
    binding: encodeScalar(binding),
    commitment: Uint8Array.from(commitment),
  };
}

let key: TestKey;
const message = Buffer.from('a message');

beforeAll(() => {
  key = dealtKey();
});

describe('RFC 9591, appendix E.1', () => {
  test('the self-test passes', () => {
    expect(() => frostSelfTest()).not.toThrow();
    expect(() => frostReferenceSelfTest()).not.toThrow();
  });

  test('the self-test does not pass where signatures are verified with the cofactor', () => {
    const withCofactor = (signature: Uint8Array, signed: Uint8Array, publicKey: Uint8Array) =>
      ed25519.verify(signature, signed, publicKey, { zip215: true });
    expect(() => requireNoCofactor(withCofactor)).toThrow('with the cofactor');
  });

  test('the participant shares are points of the published polynomial', () => {
    const [secret, coefficient] = [vector.groupSecretKey, vector.sharePolynomialCoefficient].map(
      (hex) => Buffer.from(hex, 'hex'),
    );
    for (const signer of vector.signers) {
      const x = encodeScalar(BigInt(signer.identifier));
      const share = scalarMulAdd(coefficient ?? fail(), x, secret ?? fail());
      expect(Buffer.from(share).toString('hex')).toBe(signer.participantShare);
    }
  });

  test('nonces and commitments come out as published', () => {
    for (const signer of vector.signers) {
      const randomness = signer.hidingNonceRandomness + signer.bindingNonceRandomness;
      const nonces = commitFromRandomness(
        Buffer.from(randomness, 'hex'),
        Buffer.from(signer.participantShare, 'hex'),
      );
      expect(Buffer.from(nonces.hiding).toString('hex')).toBe(signer.hidingNonce);
      expect(Buffer.from(nonces.binding).toString('hex')).toBe(signer.bindingNonce);
      expect(Buffer.from(nonces.commitment).toString('hex')).toBe(
        signer.hidingNonceCommitment + signer.bindingNonceCommitment,
      );
    }
  });
});

describe('against the reference', () => {
  test('shares and signatures are equal, byte for byte, for every pair and any message', () => {
    const anyMessage = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(fc.constantFrom(...PAIRS), anyMessage, (pair, text) => {
        const { nonces, signingPackage, signFor } = roundOne(key, pair, text);
        const nobleList = signingPackage.commitments.map(({ identifier, commitment }) => ({
          identifier: noble.Identifier.fromNumber(identifier),
          hiding: Uint8Array.from(commitment.subarray(0, 32)),
          binding: Uint8Array.from(commitment.subarray(32)),
        }));
        const expected = pair.map((identifier) => {
          const own = nonces.get(identifier) ?? fail();
          return noble.signShare(
            {
              identifier: noble.Identifier.fromNumber(identifier),
              signingShare: Uint8Array.from(shareOf(key, identifier)),
            },
            key.noblePublic,
            { hiding: Uint8Array.from(own.hiding), binding: Uint8Array.from(own.binding) },
            nobleList,
            text,
          );
        });
        const signatureShares = pair.map((identifier) => ({
          identifier,
          signatureShare: signFor(identifier),
        }));
        expect(signatureShares.map((share) => share.signatureShare)).toEqual(expected);

        const signature = aggregate({ ...signingPackage, signatureShares });
        const nobleShares = pair.map((identifier, index): [string, Uint8Array<ArrayBuffer>] => [
          noble.Identifier.fromNumber(identifier),
          expected[index] ?? fail(),
        ]);
        expect(signature).toEqual(
          noble.aggregate(key.noblePublic, nobleList, text, Object.fromEntries(nobleShares)),
        );
        expect(isEd25519Signature(signature, text, key.groupPublicKey)).toBe(true);
        for (const share of signatureShares) {
          const verifyingShare = key.verifyingShares[share.identifier - 1] ?? fail();
          expect(verifyShare({ ...signingPackage, ...share, verifyingShare })).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('edge scalars 1 and L−1 as shares and as nonces give the same bytes', () => {
    const edges = [1n, L - 1n];
    // λ for the pair (1, 3) is 3/2 and −1/2.
    const half = (L + 1n) / 2n;
    for (const [first, third] of [edges, edges.toReversed()] as [bigint, bigint][]) {
      const secret = ((((3n * first - third) * half) % L) + L) % L;
      const groupPublicKey = ed25519.Point.BASE.multiply(secret).toBytes();
      const nonces = [noncesFrom(first, third), noncesFrom(third, first)];
      const commitments = [1, 3].map((identifier, index) => ({
        identifier,
        commitment: nonces[index]?.commitment ?? fail(),
      }));
      const nobleList = commitments.map(({ identifier, commitment }) => ({
        identifier: noble.Identifier.fromNumber(identifier),
        hiding: Uint8Array.from(commitment.subarray(0, 32)),
        binding: Uint8Array.from(commitment.subarray(32)),
      }));
      const shares = [first, third].map(encodeScalar);
      const signatureShares = [1, 3].map((identifier, index) => {
        const own = nonces[index] ?? fail();
        const expected = noble.signShare(
          {
            identifier: noble.Identifier.fromNumber(identifier),
            signingShare: Uint8Array.from(shares[index] ?? fail()),
          },
          { ...key.noblePublic, commitments: [groupPublicKey] },
          { hiding: Uint8Array.from(own.hiding), binding: Uint8Array.from(own.binding) },
          nobleList,
          message,
        );
        const signingShare = shares[index] ?? fail();
        const signatureShare = signShare({
          groupPublicKey,
          message,
          commitments,
          identifier,
          signingShare,
          nonces: own,
        });
        expect(signatureShare).toEqual(expected);
        return { identifier, signatureShare };
      });
      const signature = aggregate({ groupPublicKey, message, commitments, signatureShares });
      expect(isEd25519Signature(signature, message, groupPublicKey)).toBe(true);
    }
  });

  test('an imported Ed25519 key, dealt by its owner, signs under its old public key', () => {
    const seed = Buffer.alloc(32, 7);
    const { scalar } = ed25519.utils.getExtendedPublicKey(seed);
    const imported = dealtKey(encodeScalar(scalar));
    expect(Buffer.from(imported.groupPublicKey)).toEqual(Buffer.from(ed25519.getPublicKey(seed)));
    for (const pair of PAIRS) {
      const { signingPackage, signFor } = roundOne(imported, pair, message);
      const signatureShares = pair.map((n) => ({ identifier: n, signatureShare: signFor(n) }));
      const signature = aggregate({ ...signingPackage, signatureShares });
      expect(isEd25519Signature(signature, message, ed25519.getPublicKey(seed))).toBe(true);
    }
  });

  test('signing and aggregating in one step gives the same signature as two', () => {
    const pair = [2, 3];
    const { nonces, signingPackage, signFor } = roundOne(key, pair, message);
    const copy = structuredClone(nonces.get(2) ?? fail());
    const otherSignatureShare = signFor(3);
    const signature = signAndAggregate({
      ...signingPackage,
      identifier: 2,
      signingShare: shareOf(key, 2),
      nonces: copy,
      otherSignatureShare,
      verifyingShares: key.verifyingShares,
    });
    const signatureShares = [
      { identifier: 2, signatureShare: signFor(2) },
      { identifier: 3, signatureShare: otherSignatureShare },
    ];
    expect(signature).toEqual(aggregate({ ...signingPackage, signatureShares }));
    expect(copy.hiding).toEqual(new Uint8Array(32));
  });
});

/** Signer 1 aggregates with a commitment of signer 2, which answers by `shareFor`. */
function leadWith(
  commitment: Uint8Array,
  shareFor: (input: SigningPackage, nonces: SigningNonces) => Uint8Array,
  scheme?: SigningPackage['scheme'],
): Uint8Array {
  const nonces = commit(shareOf(key, 1), USE);
  const commitments = [
    { identifier: 1, commitment: nonces.commitment },
    { identifier: 2, commitment },
  ];
  const input = {
    groupPublicKey: key.groupPublicKey,
    message,
    commitments,
    ...(scheme && { scheme }),
  };
  const otherSignatureShare = shareFor(input, nonces);
  const signature = signAndAggregate({
    ...input,
    identifier: 1,
    signingShare: shareOf(key, 1),
    verifyingShares: key.verifyingShares,
    nonces,
    otherSignatureShare,
  });
  return signature;
}

interface OddCommitment {
  /** Discrete logarithm of D without what is added to it. */
  readonly hiding: bigint;
  readonly added?: InstanceType<typeof ed25519.Point>;
  /** In place of D's own encoding. */
  readonly encoded?: Uint8Array;
  readonly scheme?: SigningPackage['scheme'];
}

/** What a lead says to a partner who commits to an odd D and then signs as if it were none, and what both would have signed. */
function leadAgainst({ hiding, added, encoded, scheme }: OddCommitment) {
  const binding = 7n;
  const pointOf = (secret: bigint) =>
    secret === 0n ? ed25519.Point.ZERO : ed25519.Point.BASE.multiply(secret);
  const d = added === undefined ? pointOf(hiding) : pointOf(hiding).add(added);
  const commitment = Buffer.concat([encoded ?? d.toBytes(), pointOf(binding).toBytes()]);
  let signature = new Uint8Array();
  const error = refusal(() =>
    leadWith(
      commitment,
      (input, nonces) => {
        const [one, two] = bindingFactors(input).map(scalarOf);
        const ownNonce = mod(scalarOf(nonces.hiding) + one! * scalarOf(nonces.binding));
        const groupPoint = pointOf(ownNonce)
          .add(d)
          .add(pointOf(mod(two! * binding)));
        const r = groupPoint.toBytes();
        const challenge = challengeAt(r, scheme);
        const share = hiding + two! * binding - challenge * scalarOf(shareOf(key, 2));
        const own = ownNonce + 2n * challenge * scalarOf(shareOf(key, 1));
        signature = Uint8Array.from(Buffer.concat([r, encodeScalar(mod(own + share))]));
        return encodeScalar(mod(share));
      },
      scheme,
    ),
  );
  return { error, signature };
}

function challengeAt(r: Uint8Array, scheme: SigningPackage['scheme']): bigint {
  const domain = Buffer.from('SigEd25519 no Ed25519 collisions\x01\x00', 'latin1');
  const prehashed = createHash('sha512').update(message).digest();
  const [prefix, signed] = scheme === 'ed25519ph' ? [domain, prehashed] : ['', message];
  const hash = createHash('sha512').update(prefix).update(r).update(key.groupPublicKey);
  return scalarOf(hash.update(signed).digest());
}

function scalarOf(littleEndian: Uint8Array): bigint {
  return mod(BigInt(`0x${Buffer.from(littleEndian).reverse().toString('hex')}`));
}

function mod(value: bigint): bigint {
  return ((value % L) + L) % L;
}

describe('points that are not of prime order', () => {
  const good = ed25519.Point.BASE.toBytes();
  const bad: [string, Uint8Array][] = [
    ['the identity', IDENTITY],
    ...ED25519_TORSION_SUBGROUP.slice(1).map((hex, index): [string, Uint8Array] => [
      `torsion point ${index + 1}`,
      Buffer.from(hex, 'hex'),
    ]),
    [
      'a point of mixed order',
      ed25519.Point.BASE.add(
        ed25519.Point.fromHex(ED25519_TORSION_SUBGROUP[1] ?? fail()),
      ).toBytes(),
    ],
    ['a non-canonical identity', Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex')],
    ['no point at all', Buffer.from(`02${'00'.repeat(31)}`, 'hex')],
  ];

  test.each(bad)('%s is refused as D and as E', (_, point) => {
    for (const commitment of [Buffer.concat([point, good]), Buffer.concat([good, point])]) {
      expect(isValidCommitment(commitment)).toBe(false);

      const { nonces, signingPackage } = roundOne(key, [1, 2], message);
      const [own] = signingPackage.commitments;
      const commitments: NonceCommitment[] = [own ?? fail(), { identifier: 2, commitment }];
      const ownNonces = nonces.get(1) ?? fail();
      const input = { ...signingPackage, commitments };
      const error = refusal(() =>
        signShare({
          ...input,
          identifier: 1,
          signingShare: shareOf(key, 1),
          nonces: ownNonces,
        }),
      );
      expect(error).toMatchObject({ code: 'invalid_commitment', culprits: [2] });
      expect(ownNonces.hiding).toEqual(new Uint8Array(32));

      const factors = bindingFactors(input);
      expect(refusal(() => groupCommitment(commitments, factors)).code).toBe('invalid_commitment');
    }
  });

  test.each(bad)('%s is refused as D and as E by who aggregates as well', (_, point) => {
    for (const commitment of [Buffer.concat([point, good]), Buffer.concat([good, point])]) {
      const error = refusal(() => leadWith(commitment, () => encodeScalar(1n)));
      expect(error).toMatchObject({ code: 'invalid_commitment', culprits: [2] });
    }
  });

  // The other signer knows its nonces and answers for the R that such points make: all but the order of R fits.
  const torsion = ED25519_TORSION_SUBGROUP.map((hex) => ed25519.Point.fromHex(hex, true));
  test.each(torsion.map((point, order) => [order, point] as const).slice(1))(
    'torsion point %d in D is refused though the share fits it, in both schemes',
    (_, added) => {
      for (const scheme of ['ed25519', 'ed25519ph'] as const) {
        const { error, signature } = leadAgainst({ hiding: 5n, added, scheme });
        expect(error).toMatchObject({ code: 'invalid_commitment', culprits: [2] });
        const curve = scheme === 'ed25519' ? ed25519 : ed25519ph;
        const isCofactored = curve.verify(signature, message, key.groupPublicKey, { zip215: true });
        expect(isCofactored).toBe(true);
      }
    },
  );

  test('the identity as D is refused though the share fits it, however it is encoded', () => {
    const encodings = [IDENTITY, Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex')];
    encodings.push(
      ...encodings.map((each) =>
        Buffer.concat([each.subarray(0, 31), Buffer.of(each[31]! | 0x80)]),
      ),
    );
    for (const encoded of encodings) {
      const { error, signature } = leadAgainst({ hiding: 0n, encoded });
      expect(error).toMatchObject({ code: 'invalid_commitment', culprits: [2] });
      expect(isEd25519Signature(signature, message, key.groupPublicKey)).toBe(true);
    }
  });

  test('torsion in D that E takes away again is refused', () => {
    for (let tried = 0; tried < 16; tried++) {
      const commitment = Buffer.concat(
        [5n + BigInt(tried), 7n].map((secret) =>
          ed25519.Point.BASE.multiply(secret).add(torsion[1]!).toBytes(),
        ),
      );
      const error = refusal(() => leadWith(commitment, () => encodeScalar(1n)));
      expect(error).toMatchObject({ code: 'invalid_commitment', culprits: [2] });
    }
  });

  test('a good commitment is accepted, one of another length is not', () => {
    expect(isValidCommitment(Buffer.concat([good, good]))).toBe(true);
    expect(isValidCommitment(good)).toBe(false);
    expect(isValidCommitment(Buffer.concat([good, good, good]))).toBe(false);
  });
});

describe('what a signer refuses', () => {
  test('nonces that were used once, and it leaves none behind', () => {
    const { nonces, signingPackage, signFor } = roundOne(key, [1, 3], message);
    signFor(1);
    const spent = nonces.get(1) ?? fail();
    expect(spent.hiding).toEqual(new Uint8Array(32));
    expect(spent.binding).toEqual(new Uint8Array(32));
    expect(refusal(() => signFor(1)).code).toBe('spent_nonce');
    expect(signingPackage.commitments).toHaveLength(2);
  });

  test('one zero nonce', () => {
    for (const half of ['hiding', 'binding'] as const) {
      const { nonces, signFor } = roundOne(key, [1, 3], message);
      nonces.get(1)?.[half].fill(0);
      expect(refusal(() => signFor(1)).code).toBe('spent_nonce');
    }
  });

  test.each<[string, (list: NonceCommitment[]) => NonceCommitment[]]>([
    ['a list without its commitment', ([a, b]) => [{ ...a!, commitment: b!.commitment }, b!]],
    ['a list without it', ([, b]) => [{ ...b!, identifier: 2 }, b!]],
    ['one signer twice', ([a]) => [a!, a!]],
    ['a list out of order', ([a, b]) => [b!, a!]],
    ['identifier 0', ([a, b]) => [{ ...b!, identifier: 0 }, a!]],
    ['identifier 4', ([a, b]) => [a!, { ...b!, identifier: 4 }]],
    ['identifier 1.5', ([a, b]) => [a!, { ...b!, identifier: 1.5 }]],
    ['one signer', ([a]) => [a!]],
    ['three signers', ([a, b]) => [a!, { ...b!, identifier: 2 }, b!]],
    ['a short commitment', ([a, b]) => [a!, { ...b!, commitment: b!.commitment.subarray(1) }]],
  ])('%s', (_, change) => {
    const { nonces, signingPackage } = roundOne(key, [1, 3], message);
    const own = nonces.get(1) ?? fail();
    const error = refusal(() =>
      signShare({
        ...signingPackage,
        commitments: change([...signingPackage.commitments]),
        identifier: 1,
        signingShare: shareOf(key, 1),
        nonces: own,
      }),
    );
    expect(error.code).toBe('invalid_input');
    // Even a refused attempt uses its nonces up.
    expect(own.hiding).toEqual(new Uint8Array(32));
  });

  test('a signing share that is zero, not reduced or of another length', () => {
    for (const signingShare of [
      new Uint8Array(32),
      new Uint8Array(32).fill(0xff),
      new Uint8Array(31).fill(1),
    ]) {
      const { nonces, signingPackage } = roundOne(key, [1, 3], message);
      const error = refusal(() =>
        signShare({
          ...signingPackage,
          identifier: 1,
          signingShare,
          nonces: nonces.get(1) ?? fail(),
        }),
      );
      expect(error.code).toBe('invalid_input');
    }
  });
});

describe('a wrong signature share', () => {
  const { one, other } = { one: 1, other: 3 };

  test.each<[string, (share: Uint8Array) => Uint8Array]>([
    ['one bit off', (share) => share.map((byte, index) => (index === 0 ? byte ^ 1 : byte))],
    ['zero', () => new Uint8Array(32)],
    ['not reduced', () => new Uint8Array(32).fill(0xff)],
    ['of another length', (share) => share.subarray(1)],
  ])('%s yields no signature and names its sender', (_, damage) => {
    for (const culprit of [one, other]) {
      const { signingPackage, signFor } = roundOne(key, [one, other], message);
      const signatureShares = [one, other].map((identifier) => {
        const signatureShare = signFor(identifier);
        return {
          identifier,
          signatureShare: identifier === culprit ? damage(signatureShare) : signatureShare,
        };
      });
      const { verifyingShares } = key;
      const error = refusal(() =>
        aggregate({ ...signingPackage, signatureShares, verifyingShares }),
      );
      expect(error).toMatchObject({ code: 'invalid_share', culprits: [culprit] });
    }
  });

  test('from the lead is not blamed on the partner', () => {
    const { nonces, signingPackage, signFor } = roundOne(key, [one, other], message);
    const error = refusal(() =>
      signAndAggregate({
        ...signingPackage,
        identifier: one,
        signingShare: shareOf(key, 2),
        nonces: nonces.get(one) ?? fail(),
        otherSignatureShare: signFor(other),
        verifyingShares: key.verifyingShares,
      }),
    );
    expect(error).toMatchObject({ code: 'invalid_share', culprits: [one] });
  });

  test('made for another message, key or list yields no signature', () => {
    const { signingPackage, signFor } = roundOne(key, [one, other], message);
    const signatureShares = [one, other].map((n) => ({
      identifier: n,
      signatureShare: signFor(n),
    }));
    const otherList = roundOne(key, [one, other], message).signingPackage.commitments;
    for (const change of [
      { message: Buffer.from('another message') },
      { groupPublicKey: dealtKey().groupPublicKey },
      { commitments: otherList },
    ]) {
      const input = { ...signingPackage, ...change, signatureShares };
      expect(refusal(() => aggregate(input)).code).toBe('invalid_share');
    }
  });

  test('of a participant outside the list is refused', () => {
    const { signingPackage, signFor } = roundOne(key, [one, other], message);
    const signatureShares = [
      { identifier: one, signatureShare: signFor(one) },
      { identifier: 2, signatureShare: signFor(other) },
    ];
    expect(refusal(() => aggregate({ ...signingPackage, signatureShares })).code).toBe(
      'invalid_input',
    );
    const verifyingShare = key.verifyingShares[1];
    const [, stray] = signatureShares;
    expect(
      refusal(() => verifyShare({ ...signingPackage, ...(stray ?? fail()), verifyingShare })).code,
    ).toBe('invalid_input');
  });
});

describe('Ed25519ph', () => {
  const scheme = 'ed25519ph' as const;
  const prehashed = (bytes: Uint8Array): Buffer => createHash('sha512').update(bytes).digest();

  /** Both signers' shares of one message, each under a scheme of its own. */
  function sharesOf(pair: readonly number[], schemes: readonly (typeof scheme | 'ed25519')[]) {
    const { nonces, signingPackage } = roundOne(key, pair, message);
    const signatureShares = pair.map((identifier, index) => ({
      identifier,
      signatureShare: signShare({
        ...signingPackage,
        scheme: schemes[index] ?? 'ed25519',
        identifier,
        signingShare: shareOf(key, identifier),
        nonces: nonces.get(identifier) ?? fail(),
      }),
    }));
    return { signingPackage, signatureShares };
  }

  test.each(PAIRS)(
    '%d and %d make a signature of RFC 8032, and of that scheme alone',
    (...pair) => {
      const { signingPackage, signatureShares } = sharesOf(pair, [scheme, scheme]);
      const signature = aggregate({ ...signingPackage, scheme, signatureShares });
      const { groupPublicKey } = key;
      const strict = { zip215: false };
      expect(ed25519ph.verify(signature, message, groupPublicKey, strict)).toBe(true);
      expect(isEd25519Signature(signature, message, groupPublicKey)).toBe(false);
      expect(isEd25519Signature(signature, prehashed(message), groupPublicKey)).toBe(false);
      expect(() => aggregate({ ...signingPackage, signatureShares })).toThrow(FrostError);
    },
  );

  test.each([
    [scheme, 'ed25519'],
    ['ed25519', scheme],
  ] as const)('shares of %s and %s make no signature in either scheme', (...schemes) => {
    const { signingPackage, signatureShares } = sharesOf([1, 2], schemes);
    for (const as of [scheme, 'ed25519'] as const) {
      const input = { ...signingPackage, scheme: as, signatureShares };
      const { verifyingShares } = key;
      const error = refusal(() => aggregate({ ...input, verifyingShares }));
      expect(error.code).toBe('invalid_share');
      expect(error.culprits).toEqual([schemes.indexOf(as) === 0 ? 2 : 1]);
    }
  });

  test('binding factors tell the schemes apart, whatever the message is made to look like', () => {
    const { signingPackage } = roundOne(key, [1, 2], message);
    const domain = Buffer.concat([
      Buffer.from('SigEd25519 no Ed25519 collisions'),
      Buffer.from([1, 0]),
    ]);
    const prehash = prehashed(message);
    const lookAlikes = [message, prehash, Buffer.concat([domain, prehash])];
    const factors = lookAlikes.map((bytes) =>
      bindingFactors({ ...signingPackage, message: bytes }),
    );
    factors.push(bindingFactors({ ...signingPackage, scheme }));
    const distinct = new Set(factors.flat().map((factor) => Buffer.from(factor).toString('hex')));
    expect(distinct.size).toBe(2 * (lookAlikes.length + 1));
  });
});
