/** The ledger's part of the audit log, from the journal in memory. */
import { entrySubject } from '@countersign/vault/audit/entry-subject.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import {
  LEDGER_CHAIN,
  ledgerAction,
  ledgerEntryView,
  ledgerOutcome,
} from '@countersign/vault/audit/ledger-entry-view.js';
import type { AuditFilter } from './audit-position.js';
import { exactTime, type AuditRow } from './audit-row.js';

/** Up to `limit` matching entries before `beforeSeq`, the highest sequence number first. */
export function ledgerAuditRows(
  entries: readonly EntryOutcome[],
  filter: AuditFilter,
  beforeSeq: number,
  limit: number,
): AuditRow[] {
  const matches = ledgerMatcher(filter);
  const rows: AuditRow[] = [];
  for (let index = countBefore(entries, beforeSeq) - 1; index >= 0; index--) {
    const outcome = entries[index]!;
    if (!matches(outcome)) continue;
    rows.push(toAuditRow(outcome));
    if (rows.length === limit) break;
  }
  return rows;
}

/** A binary search: sequence numbers only rise. */
function countBefore(entries: readonly EntryOutcome[], seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle]!.seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ledgerMatcher(filter: AuditFilter): (outcome: EntryOutcome) => boolean {
  const isVault = overlapMatcher(filter.vault_ids);
  const isWallet = overlapMatcher(filter.wallet_addresses);
  const isKey = overlapMatcher(filter.key_ids);
  const isUser = overlapMatcher(filter.user_ids);
  const isAction = overlapMatcher(filter.actions);
  const isWhole = filter.isWhole === true || filter.actions !== undefined;
  return (outcome) => {
    const { actorId, at, requestId } = outcome;
    const subject = entrySubject(outcome);
    return (
      (filter.from === undefined || at >= filter.from) &&
      (filter.to === undefined || at < filter.to) &&
      (filter.outcome === undefined || ledgerOutcome(outcome) === filter.outcome) &&
      (filter.request_id === undefined || requestId === filter.request_id) &&
      isAction([ledgerAction(outcome)]) &&
      // a statement by which something was decided is news
      (isWhole || !isStatementKind(outcome.kind) || outcome.decided !== undefined) &&
      isVault(subject?.vaultIds) &&
      isWallet(subject?.walletAddresses) &&
      isKey(subject?.keyIds) &&
      isUser([...(subject?.userIds ?? []), ...(actorId === undefined ? [] : [actorId])])
    );
  };
}

/** Matches if one of the items is wanted; if nothing is wanted, everything matches. */
function overlapMatcher(
  wanted: readonly string[] | undefined,
): (items: readonly string[] | undefined) => boolean {
  if (wanted === undefined) return () => true;
  const set = new Set(wanted);
  return (items) => items?.some((item) => set.has(item)) === true;
}

/** Whether it is a party's statement about the ledger itself: each change has two or three of them. */
function isStatementKind(kind: EntryOutcome['kind']): boolean {
  return kind === 'countersignature' || kind === 'acknowledgement' || kind === 'anchor';
}

function toAuditRow(outcome: EntryOutcome): AuditRow {
  const { listedAt, seq } = outcome;
  return { time: exactTime(listedAt), chain: LEDGER_CHAIN, seq, entry: ledgerEntryView(outcome) };
}
