/** A share as it rests in the database and travels between threads: no secret can be read from it. */
export interface SealedShare {
  readonly wrappedDek: Uint8Array;
  /** GCM nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes). */
  readonly sealed: Uint8Array;
}

/** Of a key's shares; there is no other yet. */
export const KEY_VERSION = 1;
