/** One line of an export (application/jsonl), taken apart. */
import type { AuditEntryView } from '@countersign/api/service-schema.js';
import { receipt, type ReceiptView } from '@countersign/api/signing-schema.js';
import { auditedRecord, type AuditedRecord } from '@countersign/runtime/records/audited-record.js';
import { z } from 'zod';

const hash = z.hex().length(64);
const place = z.looseObject({
  chain: z.string(),
  seq: z.int().min(1),
  prev_hash: hash,
  hash,
  record: z.unknown(),
  receipt: z.unknown().optional(),
});
type PlacedLine = z.output<typeof place>;
const PLACE_MEMBERS: ReadonlySet<string> = new Set(['chain', 'seq', 'prev_hash', 'hash']);
const optionalReceipt = receipt.optional();
const ledgerRecord = z.strictObject({ writer: z.literal('ledger'), body: z.base64() });

/** Where something stands in a chain; hashes in hex. */
export interface Link {
  readonly seq: number;
  readonly prevHash: string;
  readonly hash: string;
}

/** An entry as a line tells it: whatever stands there, and perhaps not all of it. */
export type ToldEntry = Partial<AuditEntryView>;

export interface LedgerLine extends Link {
  readonly kind: 'ledger';
  readonly body: Uint8Array;
  /** All that the line tells besides its place and record, unchecked; undefined for one that waits to be judged. */
  readonly entry: ToldEntry | undefined;
}

export interface RecordLine extends Link {
  readonly kind: 'record';
  readonly chain: string;
  readonly record: AuditedRecord;
  readonly receipt: ReceiptView | undefined;
  /** As the line tells it, unchecked. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Undefined for what is no line of an export. */
export function parseExportLine(text: string): LedgerLine | RecordLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!place.safeParse(value).success) return undefined;
  // its members in their own order, in which the parser does not leave them: a line is told again, and compared as text
  const { record, receipt: receiptGiven, ...entry } = value as PlacedLine;
  const { chain, seq } = entry;
  const link = { seq, prevHash: entry.prev_hash, hash: entry.hash };
  if (chain === 'ledger') {
    const ofLedger = ledgerRecord.safeParse(record);
    if (!ofLedger.success) return undefined;
    const body = Buffer.from(ofLedger.data.body, 'base64');
    // with the receipt, which no entry has: what is left out here would be told and never compared
    const told = { ...entry, ...(receiptGiven !== undefined && { receipt: receiptGiven }) };
    const isWaiting = Object.keys(told).every((member) => PLACE_MEMBERS.has(member));
    return { kind: 'ledger', ...link, body, entry: isWaiting ? undefined : (told as ToldEntry) };
  }
  const written = auditedRecord.safeParse(record);
  const receipted = optionalReceipt.read(receiptGiven);
  if (!written.success || 'issues' in receipted) return undefined;
  return {
    kind: 'record',
    chain,
    ...link,
    record: written.data,
    receipt: receipted.value,
    entry,
  };
}
