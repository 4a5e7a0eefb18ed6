import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { partCommitment } from '@countersign/custody/import-package.js';
import {
  decodeRsaKeyShare,
  encodeRsaKeyShare,
  hasItsCommittedParts,
  hasNewParts,
  requireWellFormed,
  type RsaKeyShare,
} from './rsa-key-share.js';
import { rsaPublicKey } from '../../threads/rsa-public-values.js';

function odd(bits: number): Buffer {
  const bytes = randomBytes(bits / 8);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
  return bytes;
}

function shareOf(party: 1 | 2 | 3, modulusBits = 2048): RsaKeyShare {
  const parts = [1, 2, 3].map(() => odd(modulusBits + 136));
  const [first, second, third] = parts;
  if (first === undefined || second === undefined || third === undefined) throw new Error();
  return {
    party,
    modulus: odd(modulusBits),
    publicExponent: 65_537,
    partCommitments: [
      partCommitment(1, first),
      partCommitment(2, second),
      partCommitment(3, third),
    ],
    own: parts[party - 1] ?? first,
    next: parts[party % 3] ?? first,
  };
}

const refused = expect.objectContaining({ code: 'invalid_input' });

describe('a share', () => {
  test.each([1, 2, 3] as const)('of party %d comes back as it was encoded', (party) => {
    const share = shareOf(party);
    const decoded = decodeRsaKeyShare(encodeRsaKeyShare(share));
    expect(decoded).toEqual(share);
    expect(hasItsCommittedParts(decoded)).toBe(true);
  });

  test('is views of what it was decoded from: wiping that wipes both parts', () => {
    const bytes = encodeRsaKeyShare(shareOf(2));
    const { own, next } = decodeRsaKeyShare(bytes);
    bytes.fill(0);
    expect([...own, ...next].every((byte) => byte === 0)).toBe(true);
  });

  test('that was cut, lengthened, or is of another version or party is refused', () => {
    const bytes = encodeRsaKeyShare(shareOf(1));
    const changed = (index: number, value: number): Uint8Array =>
      bytes.map((byte, at) => (at === index ? value : byte));
    for (const bad of [
      Buffer.alloc(0),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.alloc(1)]),
      changed(0, 2),
      changed(1, 0),
      changed(1, 4),
      changed(2, 0xff),
    ]) {
      expect(() => decodeRsaKeyShare(bad)).toThrow(refused);
    }
  });

  const good = shareOf(3);
  test.each<[string, Partial<RsaKeyShare>]>([
    [
      'an even modulus',
      { modulus: good.modulus.map((byte, at) => (at === 255 ? byte & 254 : byte)) },
    ],
    [
      'a modulus of 2047 bits',
      { modulus: good.modulus.map((byte, at) => (at === 0 ? 0x7f : byte)) },
    ],
    ['a modulus of 1024 bits', { modulus: odd(1024) }],
    ['a modulus with a leading zero', { modulus: Buffer.concat([Buffer.alloc(1), good.modulus]) }],
    ['no modulus', { modulus: Buffer.alloc(0) }],
    ['the public exponent 1', { publicExponent: 1 }],
    ['an even public exponent', { publicExponent: 65_536 }],
    ['no part', { own: Buffer.alloc(0) }],
    ['a part of zeros', { next: Buffer.alloc(272) }],
    ['a part that is as long as the modulus', { own: odd(2048) }],
    ['a part that resharings have made too short', { next: odd(2168) }],
    ['a part that is much longer than the modulus', { next: odd(2216) }],
  ])('with %s is refused', (_, change) => {
    const share = { ...good, ...change };
    expect(() => requireWellFormed(share)).toThrow(refused);
    expect(() => decodeRsaKeyShare(encodeRsaKeyShare(share))).toThrow(refused);
  });

  test.each<[string, Partial<RsaKeyShare>]>([
    ['the public exponent 3', { publicExponent: 3 }],
    ['the public exponent 2^32 − 1', { publicExponent: 4_294_967_295 }],
    ['a part of 128 bits more than the modulus', { own: odd(2176) }],
    ['a part with leading zeros', { own: Buffer.concat([Buffer.alloc(9), odd(2184)]) }],
    ['a modulus of 3072 bits', { modulus: odd(3072), own: odd(3200), next: odd(3208) }],
    ['a modulus of 4096 bits', { modulus: odd(4096), own: odd(4224), next: odd(4232) }],
  ])('with %s is accepted', (_, change) => {
    const share = { ...good, ...change };
    expect(decodeRsaKeyShare(encodeRsaKeyShare(share))).toEqual(share);
  });

  test('is new while its parts are 129 bits longer than the modulus', () => {
    expect(hasNewParts(good)).toBe(true);
    expect(hasNewParts({ ...good, own: odd(2176) })).toBe(false);
    expect(hasNewParts({ ...good, next: odd(2176) })).toBe(false);
  });

  test('of a small key is accepted where that is asked for', () => {
    const encoded = encodeRsaKeyShare(shareOf(1, 512));
    expect(() => decodeRsaKeyShare(encoded)).toThrow(refused);
    expect(decodeRsaKeyShare(encoded, [512]).party).toBe(1);
  });

  test('with a part of another index or another part is not what was committed to', () => {
    const share = shareOf(1);
    expect(hasItsCommittedParts({ ...share, own: share.next, next: share.own })).toBe(false);
    expect(hasItsCommittedParts({ ...share, next: odd(2184) })).toBe(false);
    expect(hasItsCommittedParts({ ...share, own: odd(2184) })).toBe(false);
    expect(hasItsCommittedParts({ ...share, party: 2 })).toBe(false);
  });
});

describe('the public key', () => {
  test.each([3, 257, 65_537, 16_777_217])('is the one of modulus and exponent %d', (exponent) => {
    const { publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 1024,
      publicExponent: exponent,
    });
    const { n = '' } = publicKey.export({ format: 'jwk' });
    const made = rsaPublicKey({
      modulus: Buffer.from(n, 'base64url'),
      publicExponent: exponent,
    });
    const spki = { format: 'der', type: 'spki' } as const;
    expect(made.export(spki)).toEqual(
      createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })).export(spki),
    );
  });
});
