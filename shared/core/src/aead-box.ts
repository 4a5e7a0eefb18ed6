/** AES-256-GCM (NIST SP 800-38D), 96-bit nonces, 128-bit tags: the one way in which this product seals bytes. */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { Bytes } from './bytes.js';

const CIPHER = 'aes-256-gcm';
export const BOX_KEY_BYTES = 32;
export const BOX_NONCE_BYTES = 12;
export const BOX_TAG_BYTES = 16;
const NOTHING = Buffer.alloc(0);

/** ciphertext ‖ tag (16 bytes). A nonce (12 bytes) must never occur twice under one key (32 bytes). */
export function sealBox(
  key: Bytes | KeyObject,
  nonce: Bytes,
  plaintext: Bytes,
  associatedData: Bytes = NOTHING,
): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: BOX_TAG_BYTES });
  cipher.setAAD(associatedData);
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/**
 * The plaintext, in memory of its own that the caller may wipe. Throws when key, nonce, associated data or a byte of
 * the box differs from the sealing, and for a tag shorter than 16 bytes.
 */
export function openBox(
  key: Bytes | KeyObject,
  nonce: Bytes,
  box: Bytes,
  associatedData: Bytes = NOTHING,
): Buffer {
  const tagStart = box.length - BOX_TAG_BYTES;
  if (tagStart < 0) throw new RangeError('sealed value is too short');
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: BOX_TAG_BYTES });
  decipher.setAAD(associatedData);
  decipher.setAuthTag(box.subarray(tagStart));
  // GCM is a stream mode: the one update yields every byte, in memory of its own, and final only checks
  const plaintext = decipher.update(box.subarray(0, tagStart));
  try {
    decipher.final();
  } catch (error) {
    plaintext.fill(0);
    throw error;
  }
  return plaintext;
}
