/** The filters of the audit log, and the position of one of its pages. */
import {
  commaSeparatedAddresses,
  commaSeparatedIds,
  commaSeparatedWords,
  id,
  pageQuery,
  queryEnum,
} from '@countersign/vault/api/primitives.js';
import { z } from 'zod';
import type { AuditKey } from './audit-row.js';

const dateTimeText = z.iso.datetime({ offset: true });

const instant = z
  .string()
  .superRefine((text, context) => {
    if (!dateTimeText.safeParse(text).success) {
      context.addIssue({
        code: 'custom',
        message: 'must be an RFC 3339 date-time',
        params: { syntax: true },
      });
    }
  })
  .transform((text) => Date.parse(text));

const auditFilters = {
  vault_ids: commaSeparatedIds.optional(),
  wallet_addresses: commaSeparatedAddresses.optional(),
  key_ids: commaSeparatedIds.optional(),
  user_ids: commaSeparatedIds.optional(),
  actions: commaSeparatedWords.optional(),
  outcome: queryEnum(['allowed', 'denied', 'failed']).optional(),
  request_id: id.optional(),
  from: instant.meta({ format: 'date-time', description: 'Inclusive.' }).optional(),
  to: instant.meta({ format: 'date-time', description: 'Exclusive.' }).optional(),
};

export const listAuditLogsQuery = z.strictObject({ ...pageQuery, ...auditFilters });

export const exportAuditLogsQuery = z.strictObject({
  ...auditFilters,
  format: queryEnum(['jsonl', 'csv']).optional(),
});

const auditFilterSchema = z.strictObject(auditFilters);

export type AuditFilter = z.output<typeof auditFilterSchema>;

/**
 * Where the next page begins. The ledger has a position of its own: it is read in the order of its
 * sequence numbers, and the clocks of its writers need not agree with that order.
 */
export interface AuditPosition {
  /** Ledger entries before this one are still to come. */
  readonly ledgerSeq: number;
  /** Records after this key, in the order of the log, are still to come; null: all of them. */
  readonly after: AuditKey | null;
}

const positionSchema = z.tuple([z.int(), z.string(), z.string(), z.int()]);

export function encodePosition(ledgerSeq: number, { time, chain, seq }: AuditKey): string {
  return JSON.stringify([ledgerSeq, time, chain, seq]);
}

/** Throws on anything that {@link encodePosition} did not write: a cursor is signed. */
export function decodePosition(text: string): AuditPosition {
  const [ledgerSeq, time, chain, seq] = positionSchema.parse(JSON.parse(text));
  return { ledgerSeq, after: { time, chain, seq } };
}
