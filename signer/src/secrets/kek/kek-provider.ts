/** A key that wraps others and never leaves where it is: an HSM, a transit engine, or a cloud's key service. */
import { readFileSync } from 'node:fs';
import { ByteWriter } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { assertPrivateFile } from '@countersign/core/private-file.js';

const WRAPPED_FOR = 'countersign kek half v1';

/** What is authenticated with what is wrapped: it opens for this party and this KEK alone. */
export interface KekContext {
  readonly party: PartyNumber;
  readonly kekId: string;
}

export interface KekProvider {
  /** Which key of which provider, for people. Not secret. */
  readonly name: string;
  /** Encrypts 32 bytes under the provider's newest key, and authenticates the context with them. */
  wrap(secret: Uint8Array, context: KekContext): Promise<string>;
  /** Returns what was wrapped, which the caller wipes. Rejects with `KekError`. */
  unwrap(wrapped: string, context: KekContext): Promise<Uint8Array>;
}

export function contextBytes({ party, kekId }: KekContext): Buffer {
  const bytes = new ByteWriter().field(WRAPPED_FOR).field(String(party)).field(kekId).bytes();
  return Buffer.from(bytes);
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
