import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseRsaPublicKey, rsaModulusBits } from './rsa-public-key.js';
import { rsaTestKey, type RsaTestKey } from '../../../test/support/rsa-test-keys.ts';

function spkiOf(key: RsaTestKey): Buffer {
  const { publicKey } = rsaTestKey(key);
  return publicKey.export({ format: 'der', type: 'spki' });
}

/** As OpenSSL of this Node has it, in the spelling that it writes; undefined otherwise. */
function opensslBits(spki: Buffer): number | undefined {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    const isSame = key.export({ format: 'der', type: 'spki' }).equals(spki);
    return isSame && key.asymmetricKeyType === 'rsa'
      ? key.asymmetricKeyDetails?.modulusLength
      : undefined;
  } catch {
    return undefined;
  }
}

/** OpenSSL takes even numbers and an exponent of 1, too: under such a key nothing can be signed, or anything is. */
function isUsable(spki: Buffer): boolean {
  if (opensslBits(spki) === undefined) return false;
  const { n, e } = createPublicKey({ key: spki, format: 'der', type: 'spki' }).export({
    format: 'jwk',
  });
  const [modulus, exponent] = [Buffer.from(n!, 'base64url'), Buffer.from(e!, 'base64url')];
  const isOdd = [modulus, exponent].every((bytes) => (bytes.at(-1)! & 1) === 1);
  return isOdd && !exponent.equals(Buffer.of(1)) && exponent.length <= 8;
}

describe('the modulus of an RSA public key', () => {
  it.each(['2048', '3072'] as const)('has %s bits', (bits) => {
    expect(rsaModulusBits(spkiOf(bits))).toBe(Number(bits));
  });

  it('is told apart from its exponent and its spelling', () => {
    const { publicKey } = rsaTestKey('2048');
    const { n } = publicKey.export({ format: 'jwk' });
    for (const exponent of [3, 65_537]) {
      const e = Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex').toString('base64url');
      const key = createPublicKey({ key: { kty: 'RSA', n: n!, e }, format: 'jwk' });
      const spki = key.export({ format: 'der', type: 'spki' });
      expect(parseRsaPublicKey(spki)?.modulus).toEqual(Buffer.from(n!, 'base64url'));
    }
  });

  it.each([
    ['an Ed25519 key', () => generateKeyPairSync('ed25519').publicKey],
    ['an elliptic curve', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
  ])('is none of %s', (_what, make) => {
    expect(parseRsaPublicKey(make().export({ format: 'der', type: 'spki' }))).toBeUndefined();
  });

  it('is none of anything that is no key', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(32, 1), spkiOf('2048').subarray(0, -1)]) {
      expect(parseRsaPublicKey(bytes)).toBeUndefined();
    }
  });

  it('is not read from a second spelling of the same key', () => {
    const spki = spkiOf('2048');
    expect(rsaModulusBits(Buffer.concat([spki, Buffer.alloc(1)]))).toBeUndefined();
    // 30 82 nn nn: the length in three bytes instead of two
    const longLength = Buffer.concat([
      Buffer.from([0x30, 0x83, 0x00]),
      spki.subarray(2, 4),
      spki.subarray(4),
    ]);
    expect(rsaModulusBits(longLength)).toBeUndefined();
  });

  it('is read where OpenSSL reads the same key in its one spelling, whatever byte of it was changed', () => {
    const spki = spkiOf('2048');
    // the head, both ends of the modulus, and the exponent
    const places = [
      ...Array.from({ length: 40 }, (_, at) => at),
      ...[-8, -7, -6, -5, -4, -3, -2, -1],
    ];
    for (const at of places) {
      for (const flip of [0x01, 0x02, 0x80, 0xff]) {
        const changed = Buffer.from(spki);
        const place = at < 0 ? spki.length + at : at;
        changed[place] = changed[place]! ^ flip;
        const bits = rsaModulusBits(changed);
        if (bits !== undefined)
          expect([place, flip, bits]).toEqual([place, flip, opensslBits(changed)]);
        else expect([place, flip, isUsable(changed)]).toEqual([place, flip, false]);
      }
    }
  });

  it('is not read from a key of another kind, or from none', () => {
    const ed25519 = generateKeyPairSync('ed25519').publicKey;
    expect(rsaModulusBits(ed25519.export({ format: 'der', type: 'spki' }))).toBeUndefined();
    expect(rsaModulusBits(Buffer.alloc(0))).toBeUndefined();
  });
});
