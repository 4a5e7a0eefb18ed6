/** What stands in for libsodium says and computes what libsodium does. */
import * as node from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { sodium as native } from '@countersign/custody/sodium.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import sodium from './sodium-in-script.js';

describe('signatures without libsodium', () => {
  const { privateKey, publicKey } = node.generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const message = Buffer.from('message');
  const signature = node.sign(null, message, privateKey);
  const identity = Buffer.from(`01${'00'.repeat(31)}`, 'hex');

  it('verify where they are good', () => {
    expect(sodium.crypto_sign_verify_detached(signature, message, raw)).toBe(true);
    expect(sodium.crypto_core_ed25519_is_valid_point(raw)).toBe(true);
  });

  it('do not verify with R of small order, as in libsodium', () => {
    const { scalar } = ed25519.utils.getExtendedPublicKey(node.randomBytes(32));
    const key = Buffer.from(ed25519.Point.BASE.multiply(scalar).toBytes());
    const digest = node.createHash('sha512').update(identity).update(key).update(message).digest();
    const order = ed25519.Point.Fn.ORDER;
    const k = BigInt(`0x${Buffer.from(digest).reverse().toString('hex')}`) % order;
    const s = Buffer.from(((k * scalar) % order).toString(16).padStart(64, '0'), 'hex').reverse();
    const made = Buffer.concat([identity, s]);
    // the equation holds
    expect(ed25519.verify(made, message, key)).toBe(true);
    expect(sodium.crypto_sign_verify_detached(made, message, key)).toBe(false);
    expect(verifyEd25519(key, message, made)).toBe(false);
  });

  it('do not verify for another message, nor under a key of small order', () => {
    expect(sodium.crypto_sign_verify_detached(signature, Buffer.from('other'), raw)).toBe(false);
    // R and key the identity, s = 0: good for every message where small orders count
    const forged = Buffer.concat([identity, Buffer.alloc(32)]);
    expect(sodium.crypto_sign_verify_detached(forged, message, identity)).toBe(false);
    expect(sodium.crypto_core_ed25519_is_valid_point(identity)).toBe(false);
    expect(sodium.crypto_core_ed25519_is_valid_point(Buffer.alloc(32, 0xff))).toBe(false);
  });
});

describe('what a split secret is made by', () => {
  const scalars = fc.uint8Array({ minLength: 64, maxLength: 64 });
  const reduced = (by: typeof native.crypto_core_ed25519_scalar_reduce, wide: Uint8Array) => {
    const out = Buffer.alloc(32);
    by(out, wide);
    return out;
  };

  it('is what libsodium makes of any number', () => {
    fc.assert(
      fc.property(scalars, (wide) => {
        const scalar = reduced(native.crypto_core_ed25519_scalar_reduce, wide);
        expect(reduced(sodium.crypto_core_ed25519_scalar_reduce, wide)).toEqual(scalar);
        fc.pre(scalar.some((byte) => byte !== 0));
        const [due, made] = [Buffer.alloc(32), Buffer.alloc(32)];
        native.crypto_scalarmult_ed25519_base_noclamp(due, scalar);
        sodium.crypto_scalarmult_ed25519_base_noclamp(made, scalar);
        expect(made).toEqual(due);
      }),
      { numRuns: 30 },
    );
  });

  it('is no zero', () => {
    const multiply = () =>
      sodium.crypto_scalarmult_ed25519_base_noclamp(Buffer.alloc(32), Buffer.alloc(32));
    expect(multiply).toThrow();
  });
});
