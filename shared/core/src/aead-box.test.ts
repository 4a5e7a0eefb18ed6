import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openBox, sealBox } from './aead-box.js';

const key = randomBytes(32);
const nonce = randomBytes(12);

describe('an AEAD box', () => {
  it('opens to what was sealed, whatever the lengths', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (plaintext, associated) => {
        const box = sealBox(key, nonce, plaintext, associated);
        expect(openBox(key, nonce, box, associated).equals(plaintext)).toBe(true);
        expect(box).toHaveLength(plaintext.length + 16);
      }),
    );
  });

  it('does not open after any bit was changed, nor with another nonce, key or associated data', () => {
    const box = sealBox(key, nonce, Buffer.from('plaintext'), Buffer.from('context'));
    for (let bit = 0; bit < 8 * box.length; bit++) {
      const changed = Buffer.from(box);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => openBox(key, nonce, changed, Buffer.from('context'))).toThrow();
    }
    expect(() => openBox(key, randomBytes(12), box, Buffer.from('context'))).toThrow();
    expect(() => openBox(randomBytes(32), nonce, box, Buffer.from('context'))).toThrow();
    expect(() => openBox(key, nonce, box, Buffer.from('context2'))).toThrow();
    expect(() => openBox(key, nonce, box)).toThrow();
  });

  it('does not open with a shorter tag, though GCM would know one', () => {
    for (const authTagLength of [4, 8, 12, 15]) {
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength });
      const box = Buffer.concat([cipher.update('text'), cipher.final(), cipher.getAuthTag()]);
      expect(() => openBox(key, nonce, box)).toThrow();
    }
    expect(() => openBox(key, nonce, Buffer.alloc(15))).toThrow('too short');
  });

  it('gives the plaintext in memory that nothing else lies in', () => {
    const opened = openBox(key, nonce, sealBox(key, nonce, Buffer.from('secret')));
    expect(opened.buffer.byteLength).toBe(6);
  });
});
