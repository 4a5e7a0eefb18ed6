/** A file holds the key-encryption key: the default for a single host, where no KMS is at hand. */
import { createHash, createSecretKey } from 'node:crypto';
import { sodium } from '@countersign/custody/sodium.js';
import { readSecretFile } from '@countersign/custody/secret-file.js';
import { DEK_BYTES, gcmOpen, gcmSeal, type KeyEncryptionKey } from './share-seal.js';

const KEK_BYTES = 32;
const ID_DOMAIN = 'countersign kek id v1';

/** A `KeyEncryptionKey` whose calls are synchronous: in a signing thread there is nothing to wait for. */
export interface FileKek extends KeyEncryptionKey {
  wrap(dek: Uint8Array, aad: Uint8Array): Uint8Array;
  unwrap(wrapped: Uint8Array, aad: Uint8Array): Uint8Array;
}

/**
 * Opens the KEK in `path`: 32 random bytes in a file of mode 0600 or 0400. Its id is `file:` and 16 hex
 * digits of a hash of the key. Throws as `readSecretFile` does.
 */
export function openFileKek(path: string): FileKek {
  const bytes = readSecretFile(path, KEK_BYTES);
  const digest = createHash('sha256').update(ID_DOMAIN).update(bytes).digest('hex');
  // Held as a key object: a native handle that cannot be printed, cloned or serialised by accident.
  const key = createSecretKey(bytes);
  sodium.sodium_memzero(bytes);
  return {
    id: `file:${digest.slice(0, 16)}`,
    wrap(dek, aad) {
      if (dek.length !== DEK_BYTES) throw new RangeError(`data key: ${dek.length} bytes`);
      return gcmSeal(key, dek, aad);
    },
    unwrap(wrapped, aad) {
      return gcmOpen(key, wrapped, aad);
    },
  };
}
