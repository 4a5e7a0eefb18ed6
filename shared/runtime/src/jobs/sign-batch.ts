/**
 * A signing job: one batch of requests for a named lead and partner. It crosses Redis sealed under the evidence key,
 * so that Redis can read and change nothing. It is a request, not an order: each party checks every item itself.
 * Items of one signed request share its evidence, which travels once.
 */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { decodeEvidence, encodeEvidence } from '@countersign/core/write-evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { MAX_BATCH } from './names.js';
import { openVersioned, sealVersioned, SPOKEN } from './protocol.js';
import { readReplica, writeReplica, type Replica } from './replica.js';
import type { StageClock } from '../tracing/stage-clock.js';
import { parseTraceparent } from '../tracing/traceparent.js';

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
  /** Which item of the request this is, from 0; undefined for a request of a single signature. */
  readonly index?: number | undefined;
  /**
   * Under which span of a picture it is drawn (`traceparent`). It carries no authority: forged or absent it changes the
   * picture alone.
   */
  readonly trace?: string | undefined;
  /**
   * Whether this process found a person's token to be its provider's; `unknown` while the provider has not told its
   * keys. It is not sent with the job: parties check for themselves.
   */
  readonly tokenVerified?: boolean | 'unknown';
}

export interface SignBatch {
  /** Of the protocol: its gateway, lead and partner speak it. What is said about the batch has it too. */
  readonly version: number;
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
  /** What this process notes for its picture, if one is drawn. It is not sent. */
  readonly stages?: StageClock;
}

const domainOf = (version: number) => Buffer.from(`countersign sign batch v${version}`);

export function sealSignBatch(batch: SignBatch, keys: EvidenceKeys): Buffer {
  const writer = new ByteWriter().fixed(Buffer.from(batch.batchId, 'hex')).field(batch.gatewayId);
  writeReplica(writer, batch.lead);
  writeReplica(writer, batch.partner);
  const evidences = [...new Set(batch.items.map(({ evidence }) => evidence))];
  writer.u64(batch.ledgerSeq).fixed(Buffer.from(batch.ledgerHash, 'hex')).u32(evidences.length);
  for (const evidence of evidences) writer.field(encodeEvidence(evidence));
  writer.u32(batch.items.length);
  for (const { submission, receivedAt, nonce, evidence, index, trace } of batch.items) {
    writer
      .fixed(Buffer.from(submission, 'hex'))
      .u64(receivedAt)
      .u64(nonce)
      .u32(evidences.indexOf(evidence))
      .u8(index ?? NO_INDEX);
    if (hasTraces(batch)) writer.field(trace ?? '');
  }
  return sealVersioned(keys, batch.version, writer.bytes(), domainOf);
}

/** No item of a batch is this far back. */
const NO_INDEX = 0xff;
const TRACEPARENT_BYTES = 55;

/**
 * Throws EvidenceSealError or RangeError for a job that is not ours, and ForeignVersionError for one of a version that
 * this process does not speak. It is dropped.
 */
export function openSignBatch(job: Bytes, keys: EvidenceKeys, spoken = SPOKEN): SignBatch {
  const { version, plain } = openVersioned(keys, job, domainOf, spoken);
  const reader = new ByteReader(plain);
  const head = {
    version,
    batchId: reader.fixed(16).toString('hex'),
    gatewayId: reader.text(),
    lead: readReplica(reader),
    partner: readReplica(reader),
    ledgerSeq: reader.u64(),
    ledgerHash: reader.fixed(32).toString('hex'),
  };
  const evidences = Array.from({ length: boundedCount(reader.u32()) }, () =>
    decodeEvidence(reader.field()),
  );
  const items = Array.from({ length: boundedCount(reader.u32()) }, () =>
    readItem(reader, evidences, hasTraces(head)),
  );
  reader.end();
  return { ...head, items };
}

function hasTraces({ version }: Pick<SignBatch, 'version'>): boolean {
  return version >= 2;
}

function readItem(reader: ByteReader, evidences: readonly Evidence[], hasTrace: boolean): SignItem {
  const submission = reader.fixed(16).toString('hex');
  const receivedAt = reader.u64();
  const nonce = reader.u64Big();
  const evidence = evidences[reader.u32()];
  if (evidence === undefined) throw new RangeError('an item without evidence');
  const index = reader.u8();
  const trace = hasTrace ? readTrace(reader.field()) : undefined;
  return {
    submission,
    receivedAt,
    nonce,
    evidence,
    ...(index !== NO_INDEX && { index }),
    ...(trace !== undefined && { trace }),
  };
}

/** A batch is not refused for what only draws a picture: what is no place in one is ignored. */
function readTrace(bytes: Bytes): string | undefined {
  if (bytes.length !== TRACEPARENT_BYTES) return undefined;
  const text = Buffer.from(bytes).toString('latin1');
  return parseTraceparent(text) === undefined ? undefined : text;
}

function boundedCount(count: number): number {
  if (count > MAX_BATCH) throw new RangeError('more items than a batch may have');
  return count;
}
