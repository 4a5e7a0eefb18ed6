import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Key } from '../state/state.js';
import { publicKeyView } from './key-view.js';

const pairOf = {
  ed25519: generateKeyPairSync('ed25519'),
  rsa: generateKeyPairSync('rsa', { modulusLength: 1024 }),
};

/** The state keeps 32 bytes of an Ed25519 key, and the SubjectPublicKeyInfo of an RSA one. */
function rowOf(type: 'ed25519' | 'rsa'): Key {
  const spki = pairOf[type].publicKey.export({ format: 'der', type: 'spki' });
  const bytes = type === 'rsa' ? spki : spki.subarray(-32);
  return { type, publicKey: bytes.toString('base64') } as Key;
}

describe('the public key of a key', () => {
  it.each(['ed25519', 'rsa'] as const)('of type %s is shown in both forms', (type) => {
    const { pem, raw } = publicKeyView(rowOf(type));
    const { publicKey } = pairOf[type];
    expect(createPublicKey(pem).equals(publicKey)).toBe(true);
    const der = Buffer.from(raw, 'base64');
    const read = createPublicKey(
      type === 'rsa'
        ? { key: der, format: 'der', type: 'pkcs1' }
        : { key: { kty: 'OKP', crv: 'Ed25519', x: der.toString('base64url') }, format: 'jwk' },
    );
    expect(read.equals(publicKey)).toBe(true);
  });

  it('is made once of a row, and anew of the row that comes after it', () => {
    const row = rowOf('ed25519');
    const view = publicKeyView(row);
    expect(publicKeyView(row)).toBe(view);
    expect(Object.isFrozen(view)).toBe(true);
    const { publicKey } = generateKeyPairSync('ed25519');
    const other = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const next = { ...row, publicKey: other.toString('base64') };
    expect(publicKeyView(next).raw).toBe(other.toString('base64'));
    expect(publicKeyView(row)).toBe(view);
  });
});
