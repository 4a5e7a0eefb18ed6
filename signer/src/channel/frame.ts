/**
 * What the party channel gives Redis to carry:
 *
 *     ask, answer:  kind u8 ‖ sender ‖ number u64 ‖ Noise message (50 bytes) ‖ HMAC-SHA256 (32)
 *     message:      kind u8 ‖ sender ‖ number u64 ‖ counter u64 ‖ box field
 *
 * sender: party u8 ‖ name field ‖ boot id (16 bytes). number: which question of the process that asks. The code is over
 * the receiver's id, as a field, and all bytes before it. The box is AES-256-GCM (ciphertext ‖ tag 16) with the counter
 * as nonce: a counter must never come twice under one key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { openBox, sealBox } from '@countersign/core/aead-box.js';
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import {
  readReplica,
  replicaId,
  writeReplica,
  type Replica,
} from '@countersign/runtime/jobs/replica.js';
import { OFFER_BYTES } from './channel-keys.js';
import { HANDSHAKE_BYTES, transportNonce } from './noise-kk.js';

/** The longest genuine message is well under this; a longer frame is not looked at. */
export const MAX_FRAME_BYTES = 1_048_576;
const CODE_BYTES = 32;
const KIND = { ask: 1, answer: 2, message: 3 } as const;

/** Not authenticated before its code is checked. */
export interface HandshakeFrame {
  readonly kind: 'ask' | 'answer';
  readonly from: Replica;
  readonly number: number;
  /** A Noise handshake message. */
  readonly noise: Buffer;
  readonly code: Buffer;
}

/** Not authenticated before its box opens. */
export interface MessageFrame {
  readonly kind: 'message';
  readonly from: Replica;
  readonly number: number;
  readonly counter: number;
  readonly box: Buffer;
}

export type Frame = HandshakeFrame | MessageFrame;

/** Throws RangeError on malformed bytes. */
export function readFrame(bytes: Bytes): Frame {
  if (bytes.length > MAX_FRAME_BYTES) throw new RangeError('too long');
  const reader = new ByteReader(bytes);
  const kind = reader.u8();
  const head = { from: readReplica(reader), number: reader.u64() };
  const frame = readBody(reader, kind, head);
  reader.end();
  return frame;
}

function readBody(reader: ByteReader, kind: number, head: Pick<Frame, 'from' | 'number'>): Frame {
  if (kind === KIND.message) {
    return { ...head, kind: 'message', counter: reader.u64(), box: reader.field() };
  }
  if (kind !== KIND.ask && kind !== KIND.answer) throw new RangeError('unknown frame');
  return {
    ...head,
    kind: kind === KIND.ask ? 'ask' : 'answer',
    noise: reader.fixed(HANDSHAKE_BYTES + OFFER_BYTES),
    code: reader.fixed(CODE_BYTES),
  };
}

type CodelessFrame = Omit<HandshakeFrame, 'code'>;

/** `frameKey`: of the two parties. */
export function writeHandshakeFrame(frameKey: Bytes, frame: CodelessFrame, to: Replica): Buffer {
  return Buffer.concat([handshakeBytes(frame), codeOf(frameKey, frame, to)]);
}

/** Whether somebody with the frame key of the two parties made it, for `to`. */
export function isAuthentic(frameKey: Bytes, frame: HandshakeFrame, to: Replica): boolean {
  return timingSafeEqual(codeOf(frameKey, frame, to), frame.code);
}

function codeOf(frameKey: Bytes, frame: CodelessFrame, to: Replica): Buffer {
  const covered = new ByteWriter().field(replicaId(to)).fixed(handshakeBytes(frame)).bytes();
  return createHmac('sha256', frameKey).update(covered).digest();
}

function handshakeBytes({ kind, from, number, noise }: CodelessFrame): Buffer {
  return headOf(KIND[kind], from, number).fixed(noise).bytes();
}

function headOf(kind: number, from: Replica, number: number): ByteWriter {
  return writeReplica(new ByteWriter().u8(kind), from).u64(number);
}

/** `key`: the agreement's, 32 bytes. Throws RangeError for a message that no receiver would look at. */
export function sealFrame(
  key: Bytes,
  { from, number, counter }: Omit<MessageFrame, 'kind' | 'box'>,
  message: Bytes,
): Buffer {
  const box = sealBox(key, transportNonce(counter), message);
  const frame = headOf(KIND.message, from, number).u64(counter).field(box).bytes();
  if (frame.length > MAX_FRAME_BYTES) throw new RangeError('too long');
  return frame;
}

/** Returns the message. Throws when the box was not made with this key and counter. */
export function openFrame(key: Bytes, { counter, box }: MessageFrame): Buffer {
  return openBox(key, transportNonce(counter), box);
}
