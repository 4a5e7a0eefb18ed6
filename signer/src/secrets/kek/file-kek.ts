/** A KEK in the memory of a process: from 32 bytes that a file holds, or that a provider's half leads to. */
import { createHash, createSecretKey } from 'node:crypto';
import { sodium } from '@countersign/custody/sodium.js';
import { readSecretFile } from '@countersign/custody/secret-file.js';
import { DEK_BYTES, gcmOpen, gcmSeal, type KeyEncryptionKey } from '../sealing/share-seal.js';

export const KEK_BYTES = 32;
const ID_DOMAIN = 'countersign kek id v1';

/** Opens the KEK in `path`: 32 random bytes in a file of mode 0600 or 0400. Throws as `readSecretFile` does. */
export function openFileKek(path: string): KeyEncryptionKey {
  return kekOf('file', readSecretFile(path, KEK_BYTES));
}

/** Its id is where it comes from, and 16 hex digits of a hash of the key. Wipes `bytes`. */
export function kekOf(source: string, bytes: Uint8Array): KeyEncryptionKey {
  const digest = createHash('sha256').update(ID_DOMAIN).update(bytes).digest('hex');
  // Held as a key object: a native handle that cannot be printed, cloned or serialised by accident.
  const key = createSecretKey(bytes);
  sodium.sodium_memzero(bytes);
  return {
    id: `${source}:${digest.slice(0, 16)}`,
    wrap(dek, aad) {
      if (dek.length !== DEK_BYTES) throw new RangeError(`data key: ${dek.length} bytes`);
      return gcmSeal(key, dek, aad);
    },
    unwrap(wrapped, aad) {
      return gcmOpen(key, wrapped, aad);
    },
  };
}
