/** The filters that are applied to the audit log, and the position of one of its pages. */
import type { listAuditLogsQuery } from '@countersign/api/audit-query.js';
import type * as s from '@countersign/core/shapes.js';
import { z } from 'zod';
import type { AuditKey } from './audit-row.js';

export type AuditFilter = Omit<s.OutputOf<typeof listAuditLogsQuery>, 'cursor' | 'limit'> & {
  /** Whether it has all that a verifier needs: parties' statements and both records of a signature as well. */
  readonly isWhole?: boolean;
};

/**
 * Where the next page begins. The ledger has its own position: it is read by sequence number, and its writers' clocks
 * need not agree with that order.
 */
export interface AuditPosition {
  /** Ledger entries before this one are still to come. */
  readonly ledgerSeq: number;
  /** Records after this key, in the order of the log, are still to come; null: all of them. */
  readonly after: AuditKey | null;
}

const positionSchema = z.tuple([z.int(), z.string(), z.string(), z.int()]);

/** The position as a cursor carries it; `decodePosition` reverses it. */
export function encodePosition(ledgerSeq: number, { time, chain, seq }: AuditKey): string {
  return JSON.stringify([ledgerSeq, time, chain, seq]);
}

/** Throws on anything that {@link encodePosition} did not write: a cursor is signed. */
export function decodePosition(text: string): AuditPosition {
  const [ledgerSeq, time, chain, seq] = positionSchema.parse(JSON.parse(text));
  return { ledgerSeq, after: { time, chain, seq } };
}
