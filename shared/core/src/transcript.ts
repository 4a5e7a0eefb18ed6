import { ByteWriter, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';

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

const VERSION = 1;

/**
 * SHA-256 of the transcript (32 bytes): the message of a machine's Ed25519 signature. It hashes version byte 1; then
 * method, path, query, body and credential, each after its length (4 bytes, little-endian); then the timestamp (8
 * bytes, little-endian) and the nonce.
 */
export function transcriptDigest(transcript: Transcript): Buffer {
  const bytes = new ByteWriter()
    .u8(VERSION)
    .field(transcript.method)
    .field(transcript.path)
    .field(transcript.query)
    .field(transcript.body)
    .field(transcript.credential)
    .u64(transcript.timestampMs)
    .fixed(transcript.nonce)
    .bytes();
  return sha256(bytes);
}
