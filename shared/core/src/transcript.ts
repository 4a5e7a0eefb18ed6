import { ByteWriter } from './bytes.js';
import type { Transcript } from './evidence-types.js';
import { sha256 } from './hash.js';

export type { Transcript } from './evidence-types.js';

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
