/**
 * One message between parties as Redis carries it:
 * sender (party u8 ‖ name field ‖ boot id 16) ‖ counter u64 ‖ AES-256-GCM box (ciphertext ‖ tag 16).
 * The nonce is the counter, so a counter must never come twice under one key.
 */
import { BOX_NONCE_BYTES, openBox, sealBox } from '@countersign/core/aead-box.js';
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { readReplica, writeReplica, type Replica } from '@countersign/runtime/jobs/replica.js';

/** Not authenticated before its box opens under the sender's key. */
export interface Envelope {
  readonly from: Replica;
  readonly counter: number;
  readonly box: Buffer;
}

/** `key`: 32 bytes, of messages of `from` to their receiver. */
export function sealEnvelope(key: Bytes, from: Replica, counter: number, message: Bytes): Buffer {
  const box = sealBox(key, gcmNonce(counter), message);
  return writeReplica(new ByteWriter(), from).u64(counter).field(box).bytes();
}

/** Throws RangeError on malformed bytes. */
export function readEnvelope(bytes: Bytes): Envelope {
  const reader = new ByteReader(bytes);
  const envelope = { from: readReplica(reader), counter: reader.u64(), box: reader.field() };
  reader.end();
  return envelope;
}

/** The message. Throws when the box was not made with this key and counter. */
export function openEnvelope(key: Bytes, { counter, box }: Envelope): Buffer {
  return openBox(key, gcmNonce(counter), box);
}

function gcmNonce(counter: number): Buffer {
  const nonce = Buffer.alloc(BOX_NONCE_BYTES);
  nonce.writeBigUInt64LE(BigInt(counter), 4);
  return nonce;
}
