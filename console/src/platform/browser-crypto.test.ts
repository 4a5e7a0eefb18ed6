/** What a page computes with is what Node computes. */
import * as node from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import * as browser from './browser-crypto.js';
import { Buffer as PageBuffer, isUtf8 } from './browser-buffer.js';
import sodium from './browser-sodium.js';

const texts = ['', 'abc', 'ä€😀', 'x'.repeat(1_000)];

describe('hashes of a page', () => {
  it.each(texts)('are those of Node: %#', (text) => {
    const bytes = Buffer.from(text, 'utf8');
    const due = node.createHash('sha256').update(bytes).digest('hex');
    expect(browser.hash('sha256', text, 'buffer').toString('hex')).toBe(due);
    expect(browser.createHash('sha256').update(bytes).digest('hex')).toBe(due);
    const key = Buffer.from('a key');
    const mac = node.createHmac('sha256', key).update(bytes).digest('hex');
    expect(browser.createHmac('sha256', key).update(text).digest('hex')).toBe(mac);
  });

  it('are SHA-256 alone', () => {
    expect(() => browser.createHash('sha1')).toThrow(RangeError);
  });

  it('sign nothing by themselves', () => {
    expect(() => browser.sign()).toThrow('no key');
  });
});

describe('bytes of a page', () => {
  it.each([0, 1, 2, 3, 31, 32])(
    'are written and read as base64url as Node does: %i bytes',
    (size) => {
      const bytes = node.randomBytes(size);
      bytes.fill(0xfb, 0, Math.min(2, size));
      const text = bytes.toString('base64url');
      expect(PageBuffer.from(bytes).toString('base64url')).toBe(text);
      expect([...PageBuffer.from(text, 'base64url')]).toEqual([...bytes]);
      expect(PageBuffer.from(bytes).toString('hex')).toBe(bytes.toString('hex'));
    },
  );

  it('are UTF-8 or not', () => {
    expect([isUtf8(Buffer.from('ä€')), isUtf8(Buffer.from([0xc3]))]).toEqual([true, false]);
  });
});

describe('signatures in a page', () => {
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
