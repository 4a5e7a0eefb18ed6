import type { auditEntry } from '@countersign/api/service-schema.js';
import type { z } from 'zod';

export type AuditEntry = z.input<typeof auditEntry>;

/** Where a row stands in the order of the audit log: by time, then chain, then sequence number. */
export interface AuditKey {
  /** RFC 3339, UTC, always six fractional digits: keys compare as text. */
  readonly time: string;
  readonly chain: string;
  readonly seq: number;
}

export interface AuditRow extends AuditKey {
  readonly entry: AuditEntry;
}

/** Negative when `a` comes first, that is, when it is the newer one. */
export function compareNewestFirst(a: AuditKey, b: AuditKey): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1;
  if (a.chain !== b.chain) return a.chain > b.chain ? -1 : 1;
  return b.seq - a.seq;
}

/** Six fractional digits of a time that is known in milliseconds. */
export function exactTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** RFC 3339 with milliseconds, as everywhere in the API. */
export function publicTime(exact: string): string {
  return `${exact.slice(0, 23)}Z`;
}
