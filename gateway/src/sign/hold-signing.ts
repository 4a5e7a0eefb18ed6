/** Puts a request for a signature into the ledger when a rule asks for approvals, so that people find it there. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { rehearseRequest } from '@countersign/vault/ledger/rehearse.js';
import { findPendingSigning } from '@countersign/vault/policy/released-approvals.js';
import { shownApprovals } from '@countersign/vault/views/request-view.js';
import type { AskingRule } from '@countersign/vault/policy/signing-rights.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import type { LedgerWriter } from '../govern/ledger-writer.js';
import type { OwnEntries } from '../admission/own-entries.js';
import { preferredWaitMs } from '../http/prefer.js';

/** Time for two parties to have judged it; people take longer than anybody waits. */
const DEFAULT_WAIT_MS = 10_000;

export interface HoldDeps {
  readonly follower: Pick<LedgerFollower, 'state' | 'view'>;
  readonly ledger: LedgerWriter;
  readonly ownEntries: OwnEntries;
  readonly evidenceKeys: EvidenceKeys;
  readonly now: () => number;
}

/** Why the ledger would not let it wait, or why this caller may not write more of them. */
export function refuseHold(
  { follower, ownEntries, evidenceKeys, now }: HoldDeps,
  { caller, evidence }: SignedExchange,
): Refusal | undefined {
  return (
    rehearseRequest(follower.view, evidence, evidenceKeys, now()).refusal ??
    ownEntries.refuse('signature', caller.id, evidence)
  );
}

/** 202 once two parties have seen it wait, or after the caller's wait; a refusal if they judged otherwise. */
export async function holdSigning(
  { ledger }: HoldDeps,
  { evidence, request, requestId }: SignedExchange,
  asked: readonly AskingRule[],
): Promise<Answer> {
  const seq = await ledger.append(evidence);
  const outcome = await ledger.judged(
    { seq, requestId },
    preferredWaitMs(request, DEFAULT_WAIT_MS),
  );
  if (isRefusal(outcome?.refusal)) return outcome.refusal;
  return { status: 202, requestId, awaits: { required: requiredBy(asked), given: [] } };
}

/** The answer of a request that waits, or waited; undefined for any other. */
export function answerOfHeld(state: VaultState, requestId: string): Answer | undefined {
  const held = findPendingSigning(state, requestId);
  if (held === undefined) return undefined;
  if (held.status !== 'waiting') return { status: 202, requestId };
  const required = Math.max(...held.askedBy.map(({ quorum }) => quorum));
  const given = shownApprovals(state, held, state.time).map(({ userId }) => userId);
  return { status: 202, requestId, awaits: { required, given } };
}

/** If several rules ask, each must have its approvals: the largest quorum counts. */
export function requiredBy(asked: readonly AskingRule[]): number {
  return Math.max(...asked.map(({ approvals }) => approvals.quorum));
}
