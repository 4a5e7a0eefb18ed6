/** A key that wraps others and never leaves where it is: an HSM, or a transit engine. */
import { readFileSync } from 'node:fs';
import { assertPrivateFile } from '@countersign/core/private-file.js';

export interface KekProvider {
  /** Which key of which provider, for people. Not secret. */
  readonly name: string;
  /** Encrypts 32 bytes under the provider's newest key, and authenticates `aad` with them. */
  wrap(secret: Uint8Array, aad: Uint8Array): Promise<string>;
  /** Returns what was wrapped, which the caller wipes. Rejects with `KekError`. */
  unwrap(wrapped: string, aad: Uint8Array): Promise<Uint8Array>;
}

/**
 * A KEK that does not open. `isFinal`: trying again does not help before somebody has changed a setting, and may do harm
 * (an HSM locks itself after some wrong PINs).
 */
export class KekError extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Reads what lets a party in at its provider: a token or a PIN, in a file of its own. */
export function readCredential(path: string): string {
  try {
    assertPrivateFile(path);
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new KekError(error instanceof Error ? error.message : String(error), true);
  }
}
