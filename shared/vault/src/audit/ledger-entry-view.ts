/** Shows an entry of the ledger as the audit log has it, from the outcome that the fold gave it. */
import { timeView } from '@countersign/api/common-schema.js';
import type { AuditEntryView } from '@countersign/api/service-schema.js';
import { toHex } from '@countersign/core/bytes.js';
import type { EntryOutcome } from '../ledger/entry-outcome.js';
import { GENESIS_AUTHOR } from '../ledger/genesis-state.js';
import { entrySubject } from './entry-subject.js';
import { rowChangeView } from './row-change-view.js';

/** The name of the ledger's chain in the audit log. */
export const LEDGER_CHAIN = 'ledger';
const UNKNOWN_ACTOR = 'unknown';

export function ledgerEntryView(outcome: EntryOutcome): AuditEntryView {
  const { policy, seq } = outcome;
  const subject = entrySubject(outcome);
  return {
    chain: LEDGER_CHAIN,
    seq,
    time: timeView(outcome.listedAt),
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
}

/** An entry that nobody judged, because too much was waiting, has failed: it was not denied. */
export function ledgerOutcome({
  refusal,
}: Pick<EntryOutcome, 'refusal'>): AuditEntryView['outcome'] {
  if (refusal === undefined) return 'allowed';
  return refusal.refused === 'gateway_timeout' ? 'failed' : 'denied';
}

export function ledgerAction({
  kind,
  operation,
}: Pick<EntryOutcome, 'kind' | 'operation'>): string {
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
    case 'evidence-key-withdrawal':
      return 'evidence_key_withdrawal';
    case 'successor':
      return 'party_confirmation';
    case 'refresh':
      return 'share_refresh';
    case 'evidence':
      return operation?.id ?? 'unreadable';
    case 'countersignature':
    case 'acknowledgement':
    case 'anchor':
    case 'unreadable':
      return kind;
  }
}

const WAITS_FOR: Readonly<Record<string, string>> = { waiting: 'approvals', delayed: 'delay' };

/** For what its request was made to wait; undefined for one that was carried out at once. */
function waitsFor({ requestId, changes = [] }: EntryOutcome): string | undefined {
  const row = changes.find(({ table, id }) => table === 'pendingRequests' && id === requestId);
  const status = row?.kind === 'created' ? row.fields['status'] : undefined;
  return typeof status === 'object' && 'to' in status ? WAITS_FOR[String(status.to)] : undefined;
}

/** Tells why the entry was refused, what it changed, and who countersigned it, when and under which rules. */
function detailsOf(outcome: EntryOutcome): Record<string, unknown> {
  const { refusal, judgedBy, changes, anchored, decided } = outcome;
  const waits = waitsFor(outcome);
  return {
    ...(refusal !== undefined && { reason: refusal.message }),
    ...(waits !== undefined && { waits_for: waits }),
    ...(changes !== undefined && changes.length > 0 && { changes: changes.map(rowChangeView) }),
    ...(decided !== undefined && {
      decided: decided.map(({ requestId, operation, actorId, subject }) => ({
        request_id: requestId,
        action: operation.id,
        actor: actorId,
        outcome: subject === undefined ? 'failed' : 'completed',
      })),
    }),
    ...(anchored !== undefined && {
      anchored: anchored.map(({ chainId, seq, hash }) => ({
        chain: chainId,
        seq,
        hash: toHex(hash),
      })),
    }),
    ...(judgedBy !== undefined && {
      rules_version: judgedBy.rules,
      countersigned: judgedBy.countersignatures.map(({ party, at }) => ({
        party,
        at: timeView(at),
      })),
    }),
  };
}
