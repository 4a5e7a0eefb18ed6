import { sha256 } from '@countersign/core/hash.js';
import type { Receipt, ReceiptApproval } from '@countersign/api/receipt.js';
import type { GivenApproval } from '@countersign/vault/state/state.js';
import type { LedgerPlace } from '@countersign/vault/ledger/place-types.js';
import type { SignRecord } from '@countersign/runtime/records/sign-record.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { isPlausibleNonce } from './choose-message.js';
import { CONTRIBUTION_LIFE_MS } from './given-contributions.js';
import type { Reviewed } from './review-item.js';

type Decided = Reviewed & { verdict: { kind: 'ready' } | { kind: 'denied' } };

/** The record of one item, as this party saw it. */
export function recordOf(
  reviewed: Decided,
  role: SignRecord['role'],
  parties: string,
  at: number,
  messageSha256: Buffer | null,
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
  const { signing, caller } = verdict;
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

export function receiptApproval({ userId, entryHash }: GivenApproval): ReceiptApproval {
  return { userId, entryHash };
}

function areSame(ones: readonly ReceiptApproval[], others: readonly ReceiptApproval[]): boolean {
  return (
    ones.length === others.length &&
    ones.every(({ userId, entryHash }, index) => {
      const other = others[index]!;
      return userId === other.userId && entryHash === other.entryHash;
    })
  );
}

/** Parties may know prices of different moments. Each decides by its own, but of the same assets. */
function isOfSameAssets(theirs: Receipt['prices'], own: Receipt['prices']): boolean {
  const names = (prices: Receipt['prices']) => prices?.map(({ asset }) => asset).join(',');
  return names(theirs) === names(own);
}

/**
 * The message that the partner signed for, if its receipt says what this party itself decided; otherwise undefined. The
 * partner chose the moment, and this party composes the message for it from the caller's own bytes. It bounds how far
 * the moment may lie from its own clock: behind it, no further than a repeated request may be old.
 */
export function messageOfReceipt(
  { receipt, nonce }: { readonly receipt: Receipt; readonly nonce: bigint },
  reviewed: Reviewed,
  place: LedgerPlace,
  now: number,
): Uint8Array | undefined {
  if (reviewed.verdict.kind !== 'ready') return undefined;
  const { signing, approvals } = reviewed.verdict;
  const isSame =
    receipt.requestId === reviewed.requestId &&
    receipt.keyId === signing.key.id &&
    receipt.policy.id === signing.policy.id &&
    receipt.policy.version === signing.policy.version &&
    receipt.policy.ruleId === signing.policy.ruleId &&
    receipt.ledgerSeq === place.state.seq &&
    receipt.ledgerHash === place.state.headHash &&
    receipt.rulesVersion === place.rules &&
    areSame(receipt.approvals ?? [], approvals.map(receiptApproval)) &&
    isOfSameAssets(receipt.prices, signing.prices) &&
    receipt.signedAt < now + CONTRIBUTION_LIFE_MS &&
    receipt.signedAt > now - SIGN_TIME_TO_LIVE_MS - CONTRIBUTION_LIFE_MS &&
    isPlausibleNonce(nonce, signing.nonceUnit, now);
  if (!isSame) return undefined;
  const moment = { at: receipt.signedAt, nonce, requestId: receipt.requestId };
  const message = signing.messageAt(moment);
  return receipt.messageSha256 === sha256(message).toString('hex') ? message : undefined;
}
