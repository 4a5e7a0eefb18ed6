/** Seals that GCM would know and this product must not: with tags of 4, 8 and 12 bytes. */
import { createCipheriv } from 'node:crypto';

export const SHORT_TAGS = [4, 8, 12] as const;

/** ciphertext ‖ short tag, each under the same key, nonce and associated data. */
export function shortTagBoxes(
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  associatedData: Uint8Array = Buffer.alloc(0),
): Buffer[] {
  return SHORT_TAGS.map((authTagLength) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength });
    cipher.setAAD(associatedData);
    return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  });
}
