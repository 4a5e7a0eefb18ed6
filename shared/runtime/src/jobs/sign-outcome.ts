/** What became of a signing request, as the lead records it and tells the gateway. */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { ERR_STATUS, type ErrType } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { decodeReceipt, encodeReceipt, type Receipt } from '@countersign/api/receipt.js';

export interface SignedOutcome {
  readonly outcome: 'signed';
  /** Raw bytes of the scheme. */
  readonly signature: Bytes;
  /** See {@link sealSigningDetails}; empty when the request says all. */
  readonly details: Bytes;
  readonly receipt: Receipt;
  /** Lead's, then partner's: 64 bytes each. */
  readonly receiptSignatures: readonly [Bytes, Bytes];
}

/** Policy, freeze or form said no. */
export interface DeniedOutcome {
  readonly outcome: 'denied';
  readonly errType: ErrType;
  /** Public text. */
  readonly reason: string;
}

/** Nothing was decided: the same request may be tried with another pair. Never recorded. */
export interface RetryOutcome {
  readonly outcome: 'retry';
  /** Internal text. */
  readonly reason: string;
}

export type RecordedOutcome = SignedOutcome | DeniedOutcome;
export type SignOutcome = RecordedOutcome | RetryOutcome;

const TAG = { signed: 1, denied: 2, retry: 3 } as const;
const ERR_TYPES = Object.keys(ERR_STATUS) as ErrType[];

export function encodeOutcome(outcome: SignOutcome): Buffer {
  const writer = new ByteWriter().u8(TAG[outcome.outcome]);
  switch (outcome.outcome) {
    case 'signed':
      return writer
        .field(outcome.signature)
        .field(outcome.details)
        .field(encodeReceipt(outcome.receipt))
        .fixed(outcome.receiptSignatures[0])
        .fixed(outcome.receiptSignatures[1])
        .bytes();
    case 'denied':
      return writer.u8(ERR_TYPES.indexOf(outcome.errType)).field(outcome.reason).bytes();
    case 'retry':
      return writer.field(outcome.reason).bytes();
  }
}

/** Throws RangeError on malformed bytes. */
export function decodeOutcome(bytes: Bytes): SignOutcome {
  const reader = new ByteReader(bytes);
  const outcome = readOutcome(reader);
  reader.end();
  return outcome;
}

/**
 * The outcome in a row of `request_result`. Throws when it is none, or another request's: whoever can write
 * the table could put what was signed for one caller into the row of another.
 */
export function recordedOutcome(payload: Bytes, requestId: string): RecordedOutcome {
  const outcome = decodeOutcome(payload);
  if (outcome.outcome === 'retry') throw new Error('a retry is no result');
  if (outcome.outcome === 'signed' && outcome.receipt.requestId !== requestId) {
    throw new Error('a result of another request');
  }
  return outcome;
}

function readOutcome(reader: ByteReader): SignOutcome {
  switch (reader.u8()) {
    case TAG.signed:
      return {
        outcome: 'signed',
        signature: reader.field(),
        details: reader.field(),
        receipt: decodeReceipt(reader.field()),
        receiptSignatures: [reader.fixed(64), reader.fixed(64)],
      };
    case TAG.denied: {
      const errType = ERR_TYPES[reader.u8()];
      if (errType === undefined) throw new RangeError('unknown error type');
      return { outcome: 'denied', errType, reason: reader.text() };
    }
    case TAG.retry:
      return { outcome: 'retry', reason: reader.text() };
    default:
      throw new RangeError('unknown outcome');
  }
}

/** What the answer to a venue request needs beyond the request and its signature. */
export interface SigningDetails {
  readonly nonce: bigint;
  readonly venueApiKey: string;
  /** As the venue wants it sent. */
  readonly passphrase: string;
}

/** What sealed details belong to: another request's mean nothing. */
type DetailsOwner = Pick<Receipt, 'requestId' | 'keyId'>;

function detailsContext({ requestId, keyId }: DetailsOwner): Buffer {
  return new ByteWriter()
    .field('countersign signing details v1')
    .field(requestId)
    .field(keyId)
    .bytes();
}

const NO_DETAILS: SigningDetails = { nonce: 0n, venueApiKey: '', passphrase: '' };

/** Sealed, since results are kept in PostgreSQL and a passphrase is a secret there. */
export function sealSigningDetails(
  details: SigningDetails,
  owner: DetailsOwner,
  keys: EvidenceKeys,
): Bytes {
  const { nonce, venueApiKey, passphrase } = details;
  const bytes = new ByteWriter().u64(nonce).field(venueApiKey).field(passphrase).bytes();
  return keys.seal(bytes, detailsContext(owner));
}

/** Throws EvidenceSealError or RangeError. */
export function openSigningDetails(
  sealed: Bytes,
  owner: DetailsOwner,
  keys: EvidenceKeys,
): SigningDetails {
  if (sealed.length === 0) return NO_DETAILS;
  const reader = new ByteReader(keys.open(sealed, detailsContext(owner)));
  const details = {
    nonce: reader.u64Big(),
    venueApiKey: reader.text(),
    passphrase: reader.text(),
  };
  reader.end();
  return details;
}

/** Outcomes of some items of a batch: index in the batch, and what became of it. */
export interface SignReply {
  readonly batchId: string;
  readonly outcomes: readonly { readonly index: number; readonly outcome: SignOutcome }[];
}

/** The gateway's id is bound in: a reply for one gateway means nothing to another. */
export function sealReply(reply: SignReply, gatewayId: string, keys: EvidenceKeys): Buffer {
  const writer = new ByteWriter().fixed(Buffer.from(reply.batchId, 'hex'));
  writer.u32(reply.outcomes.length);
  for (const { index, outcome } of reply.outcomes) writer.u32(index).field(encodeOutcome(outcome));
  return keys.seal(writer.bytes(), replyContext(gatewayId));
}

/** Throws EvidenceSealError or RangeError: such a reply is dropped. */
export function openReply(sealed: Bytes, gatewayId: string, keys: EvidenceKeys): SignReply {
  const reader = new ByteReader(keys.open(sealed, replyContext(gatewayId)));
  const batchId = reader.fixed(16).toString('hex');
  const outcomes = Array.from({ length: reader.u32() }, () => ({
    index: reader.u32(),
    outcome: decodeOutcome(reader.field()),
  }));
  reader.end();
  return { batchId, outcomes };
}

function replyContext(gatewayId: string): Buffer {
  return new ByteWriter().field('countersign sign reply v1').field(gatewayId).bytes();
}
