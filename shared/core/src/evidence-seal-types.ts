import type { Bytes } from './bytes.js';

export interface EvidenceKeys {
  /** Ids (hex) of all keys held, the one that seals first. */
  readonly ids: readonly [string, ...string[]];
  /** Id of the key's salted seals (8 bytes) ‖ a seal of `SaltedSeals`. For everything but entries of the ledger. */
  seal(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** Key id (8 bytes) ‖ GCM nonce (12) ‖ ciphertext ‖ tag (16). For entries of the ledger alone. */
  sealEntry(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** Opens seals of either form. Throws EvidenceSealError when the seal does not open. */
  open(sealed: Bytes, associatedData: Bytes): Buffer;
  /**
   * The id (hex) by which the ledger knows the key that a seal of either form names, whether or not that key made it.
   * Throws EvidenceSealError and UnknownEvidenceKeyError.
   */
  declaredIdOf(sealed: Bytes): string;
  /** 32 bytes, the same on every node that holds the key named in `sealed`. */
  derive(sealed: Bytes, label: string, context: Bytes): Buffer;
}
