import { createHash } from 'node:crypto';
import type { Bytes } from './bytes.js';

/**
 * What the caller signs: see {@link transcriptDigest} for its bytes, and test/vectors/transcript.json for
 * worked cases. Strings are ASCII as they stood on the wire.
 */
export interface Transcript {
  readonly method: string;
  /** Raw request target before the first `?`. */
  readonly path: string;
  /** Raw request target after the first `?`; empty when there is none. */
  readonly query: string;
  /** Body bytes as they stood on the wire. */
  readonly body: Bytes;
  /** The authorization value without scheme and surrounding whitespace. */
  readonly credential: string;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  /** 8 bytes. */
  readonly nonce: Bytes;
}

const VERSION = Buffer.from([0x01]);

/**
 * SHA-256 of the transcript (32 bytes): the message of a machine's Ed25519 signature. Hashed are: version
 * byte 1; method, path, query, body and credential, each after its length (4 bytes, little-endian); the
 * timestamp (8 bytes, little-endian); the nonce.
 */
export function transcriptDigest(transcript: Transcript): Buffer {
  const hash = createHash('sha256').update(VERSION);
  for (const field of [transcript.method, transcript.path, transcript.query]) {
    hash.update(lengthOf(Buffer.byteLength(field))).update(field);
  }
  hash.update(lengthOf(transcript.body.length)).update(transcript.body);
  hash.update(lengthOf(Buffer.byteLength(transcript.credential))).update(transcript.credential);
  const tail = Buffer.alloc(8);
  tail.writeBigUInt64LE(BigInt(transcript.timestampMs));
  return hash.update(tail).update(transcript.nonce).digest();
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(length);
  return bytes;
}
