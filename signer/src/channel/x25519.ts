/** X25519 (RFC 7748) over raw bytes that can be wiped: a key object of Node's lives until it is garbage-collected. */
import type { Bytes } from '@countersign/core/bytes.js';
import { sodium } from '@countersign/custody/sodium.js';

export const X25519_BYTES = 32;

export interface X25519Key {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** 32 bytes in common with the holder of `peer`; the caller wipes them. Throws for a point of small order. */
  exchange(peer: Bytes): Buffer;
  /** Wipes the key, which nobody can use afterwards. */
  wipe(): void;
}

/** `secret`: 32 bytes, kept in place and wiped with the key, hidden from whatever prints or copies the key object. */
export function x25519Key(secret: Bytes): X25519Key {
  if (secret.length !== X25519_BYTES) throw new RangeError('an X25519 key is 32 bytes');
  const publicKey = Buffer.alloc(X25519_BYTES);
  sodium.crypto_scalarmult_base(publicKey, secret);
  let isWiped = false;
  return {
    publicKey,
    exchange(peer) {
      if (isWiped) throw new Error('the key was wiped');
      if (peer.length !== X25519_BYTES) throw new RangeError('an X25519 key is 32 bytes');
      const shared = Buffer.alloc(X25519_BYTES);
      sodium.crypto_scalarmult(shared, secret, peer);
      return shared;
    },
    wipe() {
      isWiped = true;
      sodium.sodium_memzero(secret);
    },
  };
}

export function newX25519Key(): X25519Key {
  const secret = new Uint8Array(X25519_BYTES);
  sodium.randombytes_buf(secret);
  return x25519Key(secret);
}
