import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { ed25519, ed25519_FROST as frost } from '@noble/curves/ed25519.js';
import {
  decodeHmacPayload,
  partCommitment,
  type PublicPackage,
} from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collectParts, PAIRS, xorAll } from '../../fixtures/join-parts.js';
import { toBigInt, toBytes } from '@countersign/core/big-integers.js';
import type { HmacSecret, RsaSecret } from '../keys/imported-secret.js';
import { publicKeyOf } from '../keys/imported-secret.js';
import { readKeyFile } from '../keys/read-key-file.js';
import type { RandomSource, SplitSecret } from './split-form.js';
import { splitSecret, wipeParts } from './split-secret.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.ts';

function hmacSecret(secret: Uint8Array, passphrase = ''): HmacSecret {
  return { type: 'hmac', secret: Buffer.from(secret), passphrase, encoding: 'utf8' };
}

/** Plays back what it was given, one buffer per call. */
function replay(...buffers: Buffer[]): RandomSource {
  const queue = [...buffers];
  return (length) => {
    const next = queue.shift();
    if (next?.length !== length) throw new Error(`asked for ${length} bytes`);
    return Buffer.from(next);
  };
}

function replicated(split: SplitSecret) {
  if (split.common.type === 'ed25519') throw new Error('not replicated');
  return split.common;
}

describe('an HMAC secret', () => {
  const secrets = fc.uint8Array({ minLength: 1, maxLength: 300 });

  test('comes back from the parts of any two parties', () => {
    fc.assert(
      fc.property(secrets, fc.string({ unit: 'grapheme', maxLength: 40 }), (secret, passphrase) => {
        const { parts } = splitSecret(hmacSecret(secret, passphrase));
        for (const pair of PAIRS) {
          const payload = decodeHmacPayload(xorAll(collectParts(parts, pair)));
          expect(Buffer.from(payload.secret)).toEqual(Buffer.from(secret));
          expect(payload.passphrase).toBe(passphrase);
        }
      }),
    );
  });

  test('gives every single party something that any other secret could have given', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const [mine, other] = [hmacSecret(bytes), hmacSecret(randomBytes(20))];
        const split = splitSecret(mine);
        const own = collectParts(split.parts, [1, 2]) as [Buffer, Buffer, Buffer];
        const difference = xorAll([own[0], own[1], own[2], payloadOf(other)]);
        // other randomness, as likely as the first, that hides the change in the part the party lacks
        const again: Record<PartyNumber, SplitSecret> = {
          1: splitSecret(other, replay(own[0], own[1])),
          2: splitSecret(other, replay(xorAll([own[0], difference]), own[1])),
          3: splitSecret(other, replay(own[0], xorAll([own[1], difference]))),
        };
        for (const party of PARTY_NUMBERS) {
          expect(again[party].parts[party]).toEqual(split.parts[party]);
          expect(decodeHmacPayload(payloadIn(again[party])).secret).toEqual(other.secret);
        }
      }),
    );
  });

  test('takes fresh randomness every time', () => {
    const secret = hmacSecret(Buffer.from('one and the same secret'));
    const [first, second] = [splitSecret(secret), splitSecret(secret)];
    for (const party of PARTY_NUMBERS) {
      expect(first.parts[party]).not.toEqual(second.parts[party]);
    }
    const [x1, x2] = collectParts(first.parts, [1, 2]);
    expect(x1).not.toEqual(x2);
  });

  test('of a few bytes is split as 96 of them', () => {
    const [part] = collectParts(splitSecret(hmacSecret(Buffer.from('x'))).parts, [1, 2]);
    expect(part).toHaveLength(96);
  });

  test('is committed to part by part', () => {
    const split = splitSecret(hmacSecret(Buffer.from('secret')));
    expectCommitments(split);
  });
});

function payloadOf(secret: HmacSecret): Buffer {
  return payloadIn(splitSecret(secret));
}

function payloadIn({ parts }: SplitSecret): Buffer {
  return xorAll(collectParts(parts, [1, 2]));
}

function expectCommitments(split: SplitSecret): void {
  const { partCommitments } = replicated(split);
  const parts = collectParts(split.parts, [1, 2]);
  for (const party of PARTY_NUMBERS) {
    const part = parts[party - 1] ?? Buffer.alloc(0);
    expect(partCommitments[party - 1]).toEqual(partCommitment(party, part));
  }
}

describe('an RSA key', () => {
  const pem = rsaTestKey('2048').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const secret = readKeyFile(Buffer.from(pem), { type: 'rsa' }) as RsaSecret;
  const phi = (secret.p - 1n) * (secret.q - 1n);

  test('comes back from the parts of any two parties', () => {
    for (let run = 0; run < 20; run += 1) {
      const { parts } = splitSecret(secret);
      for (const pair of PAIRS) {
        const sum = collectParts(parts, pair)
          .map(toBigInt)
          .reduce((a, b) => a + b);
        expect(sum % phi).toBe(secret.d % phi);
      }
    }
  });

  test('signs with its three parts as it does whole', () => {
    const split = splitSecret(secret);
    const parts = collectParts(split.parts, [2, 3]).map(toBigInt);
    const encoded = emsaPkcs1Sha256(Buffer.from('an order'), 256);
    const signature = parts
      .map((part) => power(toBigInt(encoded), part, secret.modulus))
      .reduce((product, partial) => (product * partial) % secret.modulus);
    const publicKey = publicKeyOf(secret);
    if (publicKey === undefined) throw new Error('no public key');
    const bytes = toBytes(signature, 256);
    expect(verify('sha256', Buffer.from('an order'), publicKey, bytes)).toBe(true);
    expect(publicKey.equals(createPublicKey(pem))).toBe(true);
  });

  test.each([
    ['random', randomBytes(272), randomBytes(272)],
    ['the least', Buffer.alloc(272), Buffer.alloc(272)],
    ['the greatest', Buffer.alloc(272, 0xff), Buffer.alloc(272, 0xff)],
  ])('gives parts of one length, with room for resharings, from %s masks', (_, ...masks) => {
    const { parts } = splitSecret(secret, replay(...masks));
    for (const part of collectParts(parts, [1, 2])) {
      expect(part).toHaveLength(273);
      // parties refuse a part of fewer than 129 bits beyond the modulus
      expect(toBigInt(part) >= 1n << (2048n + 128n)).toBe(true);
    }
  });

  test('masks the first two parts by 128 bits more than the modulus has', () => {
    const asked: number[] = [];
    const { parts } = splitSecret(secret, (length) => {
      asked.push(length);
      return randomBytes(length);
    });
    expect(asked).toEqual([272, 272]);
    const all = collectParts(parts, [1, 2]);
    expect(new Set(all.map((part) => part.toString('hex'))).size).toBe(3);
  });

  test('gives the first party the same parts whatever the private exponent is', () => {
    const random = [randomBytes(272), randomBytes(272)] as const;
    const other = { ...secret, d: secret.d - 2n };
    const first = splitSecret(secret, replay(...random));
    const second = splitSecret(other, replay(...random));
    expect(first.parts[1]).toEqual(second.parts[1]);
    expect(first.parts[2]).not.toEqual(second.parts[2]);
  });

  test('is committed to part by part, beside its public half', () => {
    const split = splitSecret(secret);
    expectCommitments(split);
    const modulus = toBytes(secret.modulus);
    expect(split.common).toMatchObject({ type: 'rsa', publicExponent: 65537, modulus });
  });
});

/** RFC 8017, section 9.2. */
function emsaPkcs1Sha256(message: Buffer, length: number): Buffer {
  const prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');
  const digestInfo = Buffer.concat([prefix, createHash('sha256').update(message).digest()]);
  const padding = Buffer.alloc(length - digestInfo.length - 3, 0xff);
  return Buffer.concat([Buffer.from([0, 1]), padding, Buffer.from([0]), digestInfo]);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

describe('an Ed25519 seed', () => {
  const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

  test('gives FROST shares with which any two parties sign under its ordinary public key', () => {
    fc.assert(
      fc.property(seeds, fc.uint8Array({ maxLength: 200 }), (seed, message) => {
        const { common, parts } = splitSecret(ed25519Secret(seed));
        for (const pair of PAIRS) {
          const signature = signWithFrost(common, parts, pair, message);
          expect(verify(null, message, ordinaryPublicKey(seed), signature)).toBe(true);
        }
      }),
      { numRuns: 5 },
    );
  });

  test('gives shares on the line through its scalar, which the commitments fix', () => {
    const { Fn } = ed25519.Point;
    fc.assert(
      fc.property(seeds, (seed) => {
        const { common, parts } = splitSecret(ed25519Secret(seed));
        const [s1, s2, s3] = PARTY_NUMBERS.map((party) => Fn.fromBytes(shareOf(parts[party])));
        const slope = Fn.sub(s2!, s1!);
        expect(Fn.sub(s3!, s2!)).toBe(slope);
        const scalar = Fn.sub(s1!, slope);
        expect(scalar).toBe(Fn.create(ed25519.utils.getExtendedPublicKey(seed).scalar));
        const commitments = [scalar, slope].map((value) => ed25519.Point.BASE.multiply(value));
        expect(commitmentsOf(common)).toEqual(commitments.map((point) => point.toHex()));
        expect(commitmentsOf(common)[0]).toBe(
          Buffer.from(ed25519.getPublicKey(seed)).toString('hex'),
        );
      }),
      { numRuns: 30 },
    );
  });

  test('gives one party a share that every other seed could have given', () => {
    const { Fn } = ed25519.Point;
    const [mine, other] = [randomBytes(32), randomBytes(32)];
    const { parts } = splitSecret(ed25519Secret(mine));
    for (const party of PARTY_NUMBERS) {
      const share = Fn.fromBytes(shareOf(parts[party]));
      const scalar = Fn.create(ed25519.utils.getExtendedPublicKey(other).scalar);
      const slope = Fn.div(Fn.sub(share, scalar), BigInt(party));
      const random = Buffer.concat([Fn.toBytes(slope), Buffer.alloc(32)]);
      expect(splitSecret(ed25519Secret(other), replay(random)).parts[party]).toEqual(parts[party]);
    }
  });
});

function ed25519Secret(seed: Uint8Array) {
  return { type: 'ed25519', seed: Buffer.from(seed), encoding: 'seed' } as const;
}

function ordinaryPublicKey(seed: Uint8Array) {
  const x = Buffer.from(ed25519.getPublicKey(seed)).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function shareOf(part: SplitSecret['parts'][1]): Uint8Array<ArrayBuffer> {
  if (part.type !== 'ed25519') throw new Error('not a FROST share');
  return Uint8Array.from(part.signingShare);
}

function commitmentsOf(common: PublicPackage): string[] {
  if (common.type !== 'ed25519') throw new Error('not a FROST package');
  return common.commitments.map((point) => Buffer.from(point).toString('hex'));
}

function signWithFrost(
  common: PublicPackage,
  parts: SplitSecret['parts'],
  pair: readonly PartyNumber[],
  message: Uint8Array,
): Uint8Array {
  const id = (party: PartyNumber) => frost.Identifier.fromNumber(party);
  const commitments = commitmentsOf(common).map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
  const verifyingShares = Object.fromEntries(
    PARTY_NUMBERS.map((party) => {
      const scalar = ed25519.Point.Fn.fromBytes(shareOf(parts[party]));
      return [id(party), Uint8Array.from(ed25519.Point.BASE.multiply(scalar).toBytes())];
    }),
  );
  const group = { signers: { min: 2, max: 3 }, commitments, verifyingShares };
  const members = pair.map((party) => {
    const secret = { identifier: id(party), signingShare: shareOf(parts[party]) };
    frost.validateSecret(secret, group);
    return { party, secret, ...frost.commit(secret) };
  });
  const list = members.map((member) => member.commitments);
  const text = Uint8Array.from(message);
  const shares = members.map(({ party, secret, nonces }) => [
    id(party),
    frost.signShare(secret, group, nonces, list, text),
  ]);
  return frost.aggregate(group, list, text, Object.fromEntries(shares));
}

test('parts are gone once they are wiped', () => {
  for (const secret of [hmacSecret(Buffer.from('secret')), ed25519Secret(randomBytes(32))]) {
    const split = splitSecret(secret);
    wipeParts(split);
    for (const part of Object.values(split.parts)) {
      const bytes = part.type === 'ed25519' ? [part.signingShare] : part.parts;
      expect(bytes.every((buffer) => buffer.every((byte) => byte === 0))).toBe(true);
    }
  }
});
