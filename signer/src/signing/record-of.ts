import type { Receipt } from '@countersign/shared/signing/receipt.js';
import type { SignRecord } from '../records/sign-record.js';
import type { Reviewed } from './review-item.js';

type Decided = Reviewed & { verdict: { kind: 'ready' } | { kind: 'denied' } };

/** The record of one item, as this party saw it. */
export function recordOf(
  reviewed: Decided,
  role: SignRecord['role'],
  parties: string,
  at: number,
): SignRecord {
  const { requestId, ledgerSeq, verdict } = reviewed;
  const common = { at, requestId, role, ledgerSeq, parties };
  if (verdict.kind === 'denied') {
    return {
      ...common,
      outcome: 'denied',
      action: verdict.operationId,
      actorId: verdict.callerId,
      keyId: null,
      vaultId: null,
      walletAddress: null,
      messageSha256: null,
      policy: null,
      reason: verdict.refusal.message,
    };
  }
  const { signing, caller, messageSha256 } = verdict;
  return {
    ...common,
    outcome: role === 'lead' ? 'signed' : 'contributed',
    action: signing.operation.id,
    actorId: caller.id,
    keyId: signing.key.id,
    vaultId: signing.wallet?.vaultId ?? null,
    walletAddress: signing.wallet?.address ?? null,
    messageSha256,
    policy: `${signing.policy.id}/v${signing.policy.version}/${signing.policy.ruleId}`,
    reason: null,
  };
}

/** Whether the partner's receipt says what this party itself decided. */
export function isReceiptOf(receipt: Receipt, reviewed: Reviewed, now: number): boolean {
  if (reviewed.verdict.kind !== 'ready') return false;
  const { signing, messageSha256 } = reviewed.verdict;
  return (
    receipt.requestId === reviewed.requestId &&
    receipt.keyId === signing.key.id &&
    receipt.messageSha256 === messageSha256.toString('hex') &&
    receipt.policy.id === signing.policy.id &&
    receipt.policy.version === signing.policy.version &&
    receipt.policy.ruleId === signing.policy.ruleId &&
    receipt.ledgerSeq <= reviewed.ledgerSeq &&
    Math.abs(now - receipt.signedAt) < RECEIPT_SKEW_MS
  );
}

const RECEIPT_SKEW_MS = 30_000;
