import type { Bytes } from './bytes.js';

/**
 * The signed part of a request: see {@link transcriptDigest} for its bytes, and test/vectors/transcript.json for
 * worked cases. Strings are ASCII, as on the wire.
 */
export interface Transcript {
  readonly method: string;
  /** Raw request target before the first `?`. */
  readonly path: string;
  /** Raw request target after the first `?`; empty when there is none. */
  readonly query: string;
  /** Body bytes as on the wire. */
  readonly body: Bytes;
  /** The authorization value without scheme and surrounding whitespace. */
  readonly credential: string;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  /** 8 bytes. */
  readonly nonce: Bytes;
}

export type CredentialScheme = 'ApiKey' | 'Bearer';

export interface Evidence extends Transcript {
  readonly scheme: CredentialScheme;
  /** Decoded x-request-assertion: 64 signature bytes for a machine. */
  readonly assertion: Bytes;
}

export interface SealedEvidence extends Omit<Evidence, 'credential'> {
  readonly sealedCredential: Buffer;
}
