import type { Journal } from '../govern/journal.js';
import type { AuditFilter, AuditPosition } from './audit-position.js';
import { compareNewestFirst, type AuditKey, type AuditRow } from './audit-row.js';
import { LEDGER_CHAIN } from '@countersign/vault/audit/ledger-entry-view.js';
import { ledgerAuditRows } from './ledger-audit.js';
import { mergeNewestFirst } from './merge-audit.js';
import type { FindAuditRecords } from './record-audit.js';

export interface AuditSources {
  readonly journal: Journal;
  readonly findRecords: FindAuditRecords;
}

export interface AuditPageRows {
  readonly rows: readonly AuditRow[];
  /** Undefined after the last page. */
  readonly next: { readonly ledgerSeq: number; readonly after: AuditKey } | undefined;
}

/** The first page begins before the newest entry that this gateway has folded. */
export function firstPosition(journal: Journal): AuditPosition {
  return { ledgerSeq: (journal.entries.at(-1)?.seq ?? 0) + 1, after: null };
}

/** At most `limit` rows from `position` on; no source gives more than one row beyond that. */
export async function readAuditPage(
  { journal, findRecords }: AuditSources,
  filter: AuditFilter,
  position: AuditPosition,
  limit: number,
): Promise<AuditPageRows> {
  const ledger = ledgerAuditRows(journal.entries, filter, position.ledgerSeq, limit + 1);
  const records = await findRecords(filter, position.after, limit + 1);
  const { rows, hasMore } = mergeNewestFirst([ledger, records], limit);
  return { rows, next: hasMore ? nextPosition(position, rows) : undefined };
}

/**
 * All rows given so far are newer than every record still to come. So the oldest key given bounds the records, even if
 * it is the ledger's.
 */
function nextPosition(position: AuditPosition, rows: readonly AuditRow[]) {
  const given = position.after === null ? rows : [position.after, ...rows];
  const after = given.reduce<AuditKey>(
    (oldest, key) => (compareNewestFirst(key, oldest) > 0 ? key : oldest),
    given[0]!,
  );
  const lastOfLedger = rows.findLast((row) => row.chain === LEDGER_CHAIN);
  return {
    ledgerSeq: lastOfLedger?.seq ?? position.ledgerSeq,
    after: { time: after.time, chain: after.chain, seq: after.seq },
  };
}
