/**
 * Which signatures have no receipt. `countersign requests remove-old` takes receipts away, the oldest first, and an
 * export cannot show who did it. What that command never does is a fault; the rest is counted, and its span told.
 */
import { timeView } from '@countersign/api/common-schema.js';
import { MIN_DAYS } from '../database/retention.js';
import type { AuditFault } from './audit-fault.js';
import type { RecordFacts } from './check-record.js';

/** Signatures without a receipt, which may have been removed as old. */
export interface MissingReceipts {
  readonly count: number;
  /** Of their records; null where there are none. */
  readonly oldest: string | null;
  readonly newest: string | null;
}

export interface ReceiptCheck {
  readonly faults: AuditFault[];
  readonly missing: MissingReceipts;
}

const DAY_MS = 86_400_000;
/** Receipts go by the time when their signature was given out, which is a moment after the time of its record. */
const MAX_APART_MS = 600_000;

/** `now`: ms. */
export function checkReceipts(records: readonly RecordFacts[], now: number): ReceiptCheck {
  const signed = records.filter(({ signing }) => signing?.outcome === 'signed');
  const without = signed.filter(({ signing }) => signing!.receipt === undefined);
  const oldestReceipt = signed.reduce(
    (oldest, { at, signing }) => (signing!.receipt === undefined ? oldest : Math.min(oldest, at)),
    Infinity,
  );
  const removable = Math.min(now - MIN_DAYS * DAY_MS, oldestReceipt) + MAX_APART_MS;
  const faults = without
    .filter(({ at }) => at > removable)
    .map(({ writer, chain, seq }): AuditFault => ({
      name: 'receipt-missing',
      where: `${writer} ${chain} ${seq}`,
      what: 'there is no receipt of the signature',
    }));
  return { faults, missing: missingOf(without.filter(({ at }) => at <= removable)) };
}

function missingOf(records: readonly RecordFacts[]): MissingReceipts {
  if (records.length === 0) return { count: 0, oldest: null, newest: null };
  let [oldest, newest] = [Infinity, 0];
  for (const { at } of records) {
    oldest = Math.min(oldest, at);
    newest = Math.max(newest, at);
  }
  return { count: records.length, oldest: timeView(oldest), newest: timeView(newest) };
}
