/** The messages of parties to each other, as bytes inside the party channel. */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { ERR_STATUS, type ErrType } from '@countersign/core/errors.js';
import { decodeReceipt, encodeReceipt, type Receipt } from '@countersign/api/receipt.js';
import { MAX_BATCH } from '@countersign/runtime/jobs/names.js';

/** A nonce commitment of the lead, given to one partner ahead of time. */
export interface LentCommitment {
  readonly slot: number;
  readonly serial: number;
  /** D ‖ E, 64 bytes. */
  readonly commitment: Bytes;
}

export type PartnerPart =
  | {
      readonly kind: 'contributed';
      /** The lent commitment of the lead that was used; 0 where the maths needs none. */
      readonly slot: number;
      readonly serial: number;
      /** What the partner's maths gave. */
      readonly contribution: Bytes;
      /** The venue's nonce; 0 where the venue wants none. */
      readonly nonce: bigint;
      readonly receipt: Receipt;
    }
  | { readonly kind: 'denied'; readonly errType: ErrType; readonly reason: string }
  | { readonly kind: 'retry'; readonly reason: string };

export interface Contribution {
  /** By the partner's clock, ms: a lead takes nothing that is old. */
  readonly givenAt: number;
  /**
   * The partner's signature of the tree over its parts (`plantPartnerTree`): 64 bytes; empty when it decided nothing.
   */
  readonly treeSignature: Bytes;
  /** One part per item of the batch. */
  readonly parts: readonly PartnerPart[];
}

export type PartyMessage =
  | { readonly kind: 'need-commitments'; readonly token: number; readonly count: number }
  | {
      readonly kind: 'commitments';
      readonly token: number;
      readonly commitments: readonly LentCommitment[];
    }
  | ({
      readonly kind: 'contribution';
      readonly batchId: string;
    } & Contribution)
  /** The lead is done with a batch: contributions to it can come to no signature any more. */
  | { readonly kind: 'finished'; readonly batchId: string }
  /** A replica asks its party's primary replica over which head it may sign. */
  | {
      readonly kind: 'vouch-request';
      readonly token: number;
      /** Nothing is under way at the asking replica that was decided before this entry was seen. */
      readonly clearedSeq: number;
    }
  /** The primary replica's answer: it has pinned this head. `hash`: 32 bytes. */
  | {
      readonly kind: 'vouch';
      readonly token: number;
      readonly seq: number;
      readonly hash: Bytes;
    }
  | {
      /** A message of one run of a key ceremony. */
      readonly kind: 'ceremony';
      readonly session: string;
      readonly keyId: string;
      /** Which message of the run: one of each tag from each party. */
      readonly tag: string;
      readonly payload: Bytes;
    };

const KIND = {
  'need-commitments': 1,
  commitments: 2,
  contribution: 3,
  ceremony: 4,
  finished: 5,
  'vouch-request': 6,
  vouch: 7,
} as const;
const PART = { contributed: 1, denied: 2, retry: 3 } as const;
const ERR_TYPES = Object.keys(ERR_STATUS) as ErrType[];
const KINDS = Object.keys(KIND) as PartyMessage['kind'][];
/** More than any honest party lends or asks for at once. */
export const MAX_COMMITMENTS = 256;
/** The longest honest message of a kind has room in this, bytes; see {@link decodeMessage}. */
const MAX_CONTRIBUTION_BYTES = 524_288;
const MAX_MESSAGE_BYTES = 1_048_576;

export function encodeMessage(message: PartyMessage): Buffer {
  const writer = new ByteWriter().u8(KIND[message.kind]);
  switch (message.kind) {
    case 'need-commitments':
      return writer.u32(message.token).u32(message.count).bytes();
    case 'commitments':
      writer.u32(message.token).u32(message.commitments.length);
      for (const { slot, serial, commitment } of message.commitments) {
        writer.u32(slot).u32(serial).fixed(commitment);
      }
      return writer.bytes();
    case 'contribution':
      writer
        .fixed(Buffer.from(message.batchId, 'hex'))
        .u64(message.givenAt)
        .field(message.treeSignature)
        .u32(message.parts.length);
      for (const part of message.parts) writePart(writer, part);
      return writer.bytes();
    case 'finished':
      return writer.fixed(Buffer.from(message.batchId, 'hex')).bytes();
    case 'vouch-request':
      return writer.u32(message.token).u64(message.clearedSeq).bytes();
    case 'vouch':
      return writer.u32(message.token).u64(message.seq).fixed(message.hash).bytes();
    case 'ceremony':
      return writer
        .field(message.session)
        .field(message.keyId)
        .field(message.tag)
        .field(message.payload)
        .bytes();
  }
}

function writePart(writer: ByteWriter, part: PartnerPart): void {
  writer.u8(PART[part.kind]);
  switch (part.kind) {
    case 'contributed':
      writer
        .u32(part.slot)
        .u32(part.serial)
        .field(part.contribution)
        .u64(part.nonce)
        .field(encodeReceipt(part.receipt));
      return;
    case 'denied':
      writer.u8(ERR_TYPES.indexOf(part.errType)).field(part.reason);
      return;
    case 'retry':
      writer.field(part.reason);
  }
}

/** Returns the kind that bytes claim, and reads nothing else of them. Undefined for an unknown kind. */
export function kindOf(bytes: Bytes): PartyMessage['kind'] | undefined {
  return KINDS.find((kind) => KIND[kind] === bytes[0]);
}

/** Throws RangeError on malformed bytes, and on more than any honest party sends. */
export function decodeMessage(bytes: Bytes): PartyMessage {
  const isContribution = kindOf(bytes) === 'contribution';
  if (bytes.length > (isContribution ? MAX_CONTRIBUTION_BYTES : MAX_MESSAGE_BYTES)) {
    throw new RangeError('too long');
  }
  const reader = new ByteReader(bytes);
  const message = readMessage(reader);
  reader.end();
  return message;
}

function readMessage(reader: ByteReader): PartyMessage {
  switch (reader.u8()) {
    case KIND['need-commitments']: {
      const token = reader.u32();
      return { kind: 'need-commitments', token, count: Math.min(reader.u32(), MAX_COMMITMENTS) };
    }
    case KIND.commitments: {
      const token = reader.u32();
      const commitments = Array.from({ length: bounded(reader, MAX_COMMITMENTS) }, () => ({
        slot: reader.u32(),
        serial: reader.u32(),
        commitment: reader.fixed(64),
      }));
      return { kind: 'commitments', token, commitments };
    }
    case KIND.contribution: {
      const batchId = reader.fixed(16).toString('hex');
      const [givenAt, treeSignature] = [reader.u64(), reader.field()];
      const parts = Array.from({ length: bounded(reader, MAX_BATCH) }, () => readPart(reader));
      return { kind: 'contribution', batchId, givenAt, treeSignature, parts };
    }
    case KIND.finished:
      return { kind: 'finished', batchId: reader.fixed(16).toString('hex') };
    case KIND['vouch-request']:
      return { kind: 'vouch-request', token: reader.u32(), clearedSeq: reader.u64() };
    case KIND.vouch:
      return { kind: 'vouch', token: reader.u32(), seq: reader.u64(), hash: reader.fixed(32) };
    case KIND.ceremony:
      return {
        kind: 'ceremony',
        session: reader.text(),
        keyId: reader.text(),
        tag: reader.text(),
        payload: reader.field(),
      };
    default:
      throw new RangeError('unknown message');
  }
}

function readPart(reader: ByteReader): PartnerPart {
  switch (reader.u8()) {
    case PART.contributed:
      return {
        kind: 'contributed',
        slot: reader.u32(),
        serial: reader.u32(),
        contribution: reader.field(),
        nonce: reader.u64Big(),
        receipt: decodeReceipt(reader.field()),
      };
    case PART.denied: {
      const errType = ERR_TYPES[reader.u8()];
      if (errType === undefined) throw new RangeError('unknown error type');
      return { kind: 'denied', errType, reason: reader.text() };
    }
    case PART.retry:
      return { kind: 'retry', reason: reader.text() };
    default:
      throw new RangeError('unknown part');
  }
}

function bounded(reader: ByteReader, most: number): number {
  const length = reader.u32();
  if (length > most) throw new RangeError('too many');
  return length;
}
