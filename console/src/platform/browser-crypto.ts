/**
 * `node:crypto` for a browser: what the shared code asks of it, so that a request's digest is computed by the one
 * implementation that gateways, parties and clients run. The hash function is synchronous there, and a browser's own
 * is not: it comes from @noble/hashes.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from './browser-buffer.js';

interface Digesting {
  update(part: Uint8Array | string): Digesting;
  digest(): Buffer;
  digest(encoding: 'hex'): string;
}

/** All that is hashed in this product. */
const NAME = 'sha256';

export function createHash(algorithm: string): Digesting {
  assertKnown(algorithm);
  return digesting(sha256.create());
}

export function createHmac(algorithm: string, key: Uint8Array): Digesting {
  assertKnown(algorithm);
  return digesting(hmac.create(sha256, key));
}

export function hash(algorithm: string, data: Uint8Array | string, _encoding: 'buffer'): Buffer {
  return createHash(algorithm).update(data).digest();
}

export function randomBytes(length: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
}

export function randomUUID(): string {
  return crypto.randomUUID();
}

/** A page holds no key: people sign with a passkey, which never leaves its authenticator. */
export function sign(): never {
  throw new Error('a page has no key to sign with');
}

function assertKnown(algorithm: string): void {
  if (algorithm !== NAME) throw new RangeError(`a page has no ${algorithm}`);
}

function digesting(state: { update(bytes: Uint8Array): unknown; digest(): Uint8Array }): Digesting {
  const digest = (encoding?: 'hex') => {
    const bytes = Buffer.from(state.digest());
    return encoding === undefined ? bytes : bytes.toString(encoding);
  };
  const self: Digesting = {
    update(part) {
      state.update(typeof part === 'string' ? Buffer.from(part, 'utf8') : part);
      return self;
    },
    digest: digest as Digesting['digest'],
  };
  return self;
}
