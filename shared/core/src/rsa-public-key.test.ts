import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { rsaModulusBits } from './rsa-public-key.js';

function spkiOf(modulusLength: number): Buffer {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return publicKey.export({ format: 'der', type: 'spki' });
}

describe('the modulus of an RSA public key', () => {
  it.each([2048, 3072])('has %i bits', (bits) => {
    expect(rsaModulusBits(spkiOf(bits))).toBe(bits);
  });

  it('is not read from a second spelling of the same key', () => {
    const spki = spkiOf(2048);
    expect(rsaModulusBits(Buffer.concat([spki, Buffer.alloc(1)]))).toBeUndefined();
    // 30 82 nn nn: the length in three bytes instead of two
    const longLength = Buffer.concat([
      Buffer.from([0x30, 0x83, 0x00]),
      spki.subarray(2, 4),
      spki.subarray(4),
    ]);
    expect(rsaModulusBits(longLength)).toBeUndefined();
  });

  it('is not read from a key of another kind, or from none', () => {
    const ed25519 = generateKeyPairSync('ed25519').publicKey;
    expect(rsaModulusBits(ed25519.export({ format: 'der', type: 'spki' }))).toBeUndefined();
    expect(rsaModulusBits(Buffer.alloc(0))).toBeUndefined();
  });
});
