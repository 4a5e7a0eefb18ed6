/** The primitives by which venues check signatures: node:crypto alone, and nothing that the vault signs with. */
import { createHmac, timingSafeEqual, verify, type KeyObject } from 'node:crypto';

export type HmacHash = 'sha256' | 'sha512';

export function hmac(hash: HmacHash, key: string | Buffer, message: string | Buffer): Buffer {
  return createHmac(hash, key).update(message).digest();
}

/** Hex in either case. */
export function isHex(given: string, expected: Buffer): boolean {
  return equal(Buffer.from(given.toLowerCase()), Buffer.from(expected.toString('hex')));
}

export function isBase64(given: string, expected: Buffer): boolean {
  return equal(Buffer.from(given), Buffer.from(expected.toString('base64')));
}

/** Ed25519, or RSASSA-PKCS1-v1_5 with SHA-256, by the type of the key. */
export function isSignedBy(key: KeyObject, message: string, signature: Buffer): boolean {
  const hash = key.asymmetricKeyType === 'rsa' ? 'sha256' : null;
  return verify(hash, Buffer.from(message), key, signature);
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
