/** The messages of parties to each other, as bytes inside the party channel. */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import * as r from '@countersign/core/records.js';
import type { ErrType } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import { decodeReceipt, encodeReceipt, type Receipt } from '@countersign/api/receipt.js';
import { MAX_BATCH } from '@countersign/runtime/jobs/names.js';

/** More than any honest party lends or asks for at once. */
export const MAX_COMMITMENTS = 256;

const LENT_COMMITMENT = {
  slot: r.u32,
  serial: r.u32,
  /** D ‖ E. */
  commitment: r.fixed(64),
};

/** A nonce commitment of the lead, given to one partner ahead of time. */
export type LentCommitment = r.Recorded<typeof LENT_COMMITMENT>;

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

const PART = { contributed: 1, denied: 2, retry: 3 } as const;
const ERR_TYPES = Object.keys(ERR_STATUS) as ErrType[];
const PARTS: r.Field<readonly PartnerPart[]> = {
  write(writer, parts) {
    writer.u32(parts.length);
    for (const part of parts) writePart(writer, part);
  },
  read(reader) {
    const length = reader.u32();
    if (length > MAX_BATCH) throw new RangeError('too many parts');
    return Array.from({ length }, () => readPart(reader));
  },
};

const ASKED_COUNT: r.Field<number> = {
  write: r.u32.write,
  read: (reader) => Math.min(reader.u32(), MAX_COMMITMENTS),
};

/** The messages by kind: the first byte, and the fields. */
const MESSAGES = {
  'need-commitments': { code: 1, layout: { token: r.u32, count: ASKED_COUNT } },
  commitments: {
    code: 2,
    layout: {
      token: r.u32,
      commitments: r.listOf(LENT_COMMITMENT, MAX_COMMITMENTS, 'commitments'),
    },
  },
  contribution: {
    code: 3,
    layout: { batchId: r.hex(16), givenAt: r.u64, treeSignature: r.bytes, parts: PARTS },
  },
  /** A message of one run of a key ceremony. */
  ceremony: {
    code: 4,
    layout: {
      session: r.text,
      keyId: r.text,
      /** Which message of the run: one of each tag from each party. */
      tag: r.text,
      payload: r.bytes,
    },
  },
  /** The lead is done with a batch: contributions to it can come to no signature any more. */
  finished: { code: 5, layout: { batchId: r.hex(16) } },
  /** A replica asks its party's primary replica over which head it may sign. */
  'vouch-request': {
    code: 6,
    layout: {
      token: r.u32,
      /** Nothing is under way at the asking replica that was decided before this entry was seen. */
      clearedSeq: r.u64,
    },
  },
  /** The primary replica's answer: it has pinned this head. */
  vouch: { code: 7, layout: { token: r.u32, seq: r.u64, hash: r.fixed(32) } },
} as const;

type MessageKind = keyof typeof MESSAGES;

type Messages = {
  [Kind in MessageKind]: { readonly kind: Kind } & r.Recorded<(typeof MESSAGES)[Kind]['layout']>;
};

export type PartyMessage = Messages[MessageKind];

const KINDS = Object.keys(MESSAGES) as MessageKind[];
/** The longest honest message of a kind has room in this, bytes; see {@link decodeMessage}. */
const MAX_CONTRIBUTION_BYTES = 524_288;
const MAX_MESSAGE_BYTES = 1_048_576;

export function encodeMessage(message: PartyMessage): Buffer {
  const { code, layout } = MESSAGES[message.kind];
  return r.writeRecord<r.Layout>(new ByteWriter().u8(code), layout, { ...message }).bytes();
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
export function kindOf(bytes: Bytes): MessageKind | undefined {
  return KINDS.find((kind) => MESSAGES[kind].code === bytes[0]);
}

/** Throws RangeError on malformed bytes, and on more than any honest party sends. */
export function decodeMessage(bytes: Bytes): PartyMessage {
  const kind = kindOf(bytes);
  if (bytes.length > (kind === 'contribution' ? MAX_CONTRIBUTION_BYTES : MAX_MESSAGE_BYTES)) {
    throw new RangeError('too long');
  }
  if (kind === undefined) throw new RangeError('unknown message');
  const reader = new ByteReader(bytes.subarray(1));
  const message = { kind, ...r.readRecord<r.Layout>(reader, MESSAGES[kind].layout) };
  reader.end();
  return message as unknown as PartyMessage;
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
