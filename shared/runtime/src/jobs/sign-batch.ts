/**
 * A signing job: one batch of requests for a named lead and partner. It crosses Redis sealed under the evidence key,
 * so that Redis can read and change nothing. It is a request, not an order: each party checks every item itself.
 */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { decodeEvidence, encodeEvidence, type Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { MAX_BATCH } from './names.js';
import { readReplica, writeReplica, type Replica } from './replica.js';

export interface SignItem {
  /** 16 random bytes, hex, made when the HTTP request arrived: tells a re-delivery from a replay. */
  readonly submission: string;
  /** When the gateway received the request, ms. */
  readonly receivedAt: number;
  /**
   * The venue's number by which a party knows the request already; 0 for none. A hint: a party takes it only as it
   * would take another's.
   */
  readonly nonce: bigint;
  readonly evidence: Evidence;
  /**
   * Whether this process found a person's token to be its provider's. It is not sent with the job: parties check for
   * themselves.
   */
  readonly tokenVerified?: boolean;
}

export interface SignBatch {
  /** 16 random bytes, hex. */
  readonly batchId: string;
  readonly gatewayId: string;
  readonly lead: Replica;
  readonly partner: Replica;
  /** The head over which both parties are to decide. */
  readonly ledgerSeq: number;
  /** Its hash, hex. */
  readonly ledgerHash: string;
  readonly items: readonly SignItem[];
}

const DOMAIN = Buffer.from('countersign sign batch v3');

export function sealSignBatch(batch: SignBatch, keys: EvidenceKeys): Buffer {
  const writer = new ByteWriter().fixed(Buffer.from(batch.batchId, 'hex')).field(batch.gatewayId);
  writeReplica(writer, batch.lead);
  writeReplica(writer, batch.partner);
  writer.u64(batch.ledgerSeq).fixed(Buffer.from(batch.ledgerHash, 'hex')).u32(batch.items.length);
  for (const item of batch.items) {
    writer
      .fixed(Buffer.from(item.submission, 'hex'))
      .u64(item.receivedAt)
      .u64(item.nonce)
      .field(encodeEvidence(item.evidence));
  }
  return keys.seal(writer.bytes(), DOMAIN);
}

/** Throws EvidenceSealError or RangeError for a job that is not ours, which is dropped. */
export function openSignBatch(sealed: Bytes, keys: EvidenceKeys): SignBatch {
  const reader = new ByteReader(keys.open(sealed, DOMAIN));
  const head = {
    batchId: reader.fixed(16).toString('hex'),
    gatewayId: reader.text(),
    lead: readReplica(reader),
    partner: readReplica(reader),
    ledgerSeq: reader.u64(),
    ledgerHash: reader.fixed(32).toString('hex'),
  };
  const items = Array.from({ length: boundedCount(reader.u32()) }, () => ({
    submission: reader.fixed(16).toString('hex'),
    receivedAt: reader.u64(),
    nonce: reader.u64Big(),
    evidence: decodeEvidence(reader.field()),
  }));
  reader.end();
  return { ...head, items };
}

function boundedCount(count: number): number {
  if (count > MAX_BATCH) throw new RangeError('more items than a batch may have');
  return count;
}
