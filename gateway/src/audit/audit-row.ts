import type { AuditEntryView } from '@countersign/api/service-schema.js';
import type { AuditedRecord } from '@countersign/runtime/records/audited-record.js';
import type { ReceiptView } from '@countersign/api/signing-schema.js';

export type AuditEntry = AuditEntryView;

/** What a verifier needs beside the entry: the data that its hash covers, and the receipt of a signature. */
export interface AuditEvidence {
  readonly record: AuditedRecord;
  readonly receipt?: ReceiptView | undefined;
}

/** The place of a row in the audit log: by time, then chain, then sequence number. */
export interface AuditKey {
  /** RFC 3339, UTC, always six fractional digits: keys compare as text. */
  readonly time: string;
  readonly chain: string;
  readonly seq: number;
}

export interface AuditRow extends AuditKey {
  readonly entry: AuditEntry;
  /** Absent for the ledger, whose bodies are read when they are exported. */
  readonly evidence?: AuditEvidence | undefined;
}

/** Negative when `a` comes first because it is newer. */
export function compareNewestFirst(a: AuditKey, b: AuditKey): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1;
  if (a.chain !== b.chain) return a.chain > b.chain ? -1 : 1;
  return b.seq - a.seq;
}

/** Six fractional digits of a time that is known in milliseconds. */
export function exactTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
