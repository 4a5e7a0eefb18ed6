/** The ledger's part of the audit log, from the journal in memory. */
import { timeView } from '@countersign/api/common-schema.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { toHex } from '@countersign/core/bytes.js';
import { GENESIS_AUTHOR } from '@countersign/vault/ledger/genesis-state.js';
import type { AuditFilter } from './audit-position.js';
import { exactTime, publicTime, type AuditEntry, type AuditRow } from './audit-row.js';

export const LEDGER_CHAIN = 'ledger';
const UNKNOWN_ACTOR = 'unknown';

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

/** Sequence numbers only rise. */
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
  const withWords = filter.withWords === true || filter.actions !== undefined;
  return (outcome) => {
    const { subject, actorId, at, requestId } = outcome;
    return (
      (filter.from === undefined || at >= filter.from) &&
      (filter.to === undefined || at < filter.to) &&
      (filter.outcome === undefined || ledgerOutcome(outcome) === filter.outcome) &&
      (filter.request_id === undefined || requestId === filter.request_id) &&
      isAction([ledgerAction(outcome)]) &&
      (withWords || !isWordKind(outcome.kind)) &&
      isVault(subject?.vaultIds) &&
      isWallet(subject?.walletAddresses) &&
      isKey(subject?.keyIds) &&
      isUser([...(subject?.userIds ?? []), ...(actorId === undefined ? [] : [actorId])])
    );
  };
}

/** Whether one of the items is wanted; with nothing wanted, everything passes. */
function overlapMatcher(
  wanted: readonly string[] | undefined,
): (items: readonly string[] | undefined) => boolean {
  if (wanted === undefined) return () => true;
  const set = new Set(wanted);
  return (items) => items?.some((item) => set.has(item)) === true;
}

/** What parties say about the ledger itself: two or three such lines belong to each change. */
function isWordKind(kind: EntryOutcome['kind']): boolean {
  return kind === 'countersignature' || kind === 'acknowledgement' || kind === 'anchor';
}

function ledgerOutcome(outcome: EntryOutcome): 'allowed' | 'denied' {
  return outcome.refusal === undefined ? 'allowed' : 'denied';
}

function ledgerAction({ kind, operation }: EntryOutcome): string {
  switch (kind) {
    case 'genesis':
      return 'genesis';
    case 'attestation':
      return 'key_attestation';
    case 'key-refusal':
      return 'key_refusal';
    case 'recipient':
      return 'import_recipient';
    case 'evidence-key':
      return 'evidence_key';
    case 'evidence':
      return operation?.id ?? 'unreadable';
    case 'countersignature':
    case 'acknowledgement':
    case 'anchor':
    case 'unreadable':
      return kind;
  }
}

/** Why it was refused, and who countersigned it, when, under which version of the rules. */
function detailsOf({ refusal, judgedBy }: EntryOutcome): Record<string, unknown> {
  return {
    ...(refusal !== undefined && { reason: refusal.message }),
    ...(judgedBy !== undefined && {
      rules_version: judgedBy.rules,
      countersigned: judgedBy.countersignatures.map(({ party, at }) => ({
        party,
        at: timeView(at),
      })),
    }),
  };
}

function toAuditRow(outcome: EntryOutcome): AuditRow {
  const { policy, subject, seq } = outcome;
  const time = exactTime(outcome.at);
  const entry: AuditEntry = {
    chain: LEDGER_CHAIN,
    seq,
    time: publicTime(time),
    actor: outcome.actorId ?? (outcome.kind === 'genesis' ? GENESIS_AUTHOR : UNKNOWN_ACTOR),
    action: ledgerAction(outcome),
    resource: {
      type: subject?.resourceType ?? 'none',
      ids: [...(subject?.resourceIds ?? [])],
      vault_ids: [...(subject?.vaultIds ?? [])],
      wallet_addresses: [...(subject?.walletAddresses ?? [])],
      key_ids: [...(subject?.keyIds ?? [])],
      user_ids: [...(subject?.userIds ?? [])],
    },
    outcome: ledgerOutcome(outcome),
    request_id: outcome.requestId ?? null,
    ...(policy !== undefined && {
      policy: {
        id: policy.id,
        version: policy.version,
        ...(policy.ruleId !== undefined && { rule_id: policy.ruleId }),
      },
    }),
    details: detailsOf(outcome),
    prev_hash: toHex(outcome.prevHash),
    hash: toHex(outcome.hash),
  };
  return { time, chain: LEDGER_CHAIN, seq, entry };
}
