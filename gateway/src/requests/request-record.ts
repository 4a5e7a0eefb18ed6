/**
 * What a request came to, rebuilt from where it is recorded: the ledger for changes of governance, a
 * row of request_result for signatures. Nothing is stored a second time.
 */
import { timeView } from '@countersign/api/common-schema.js';
import type { requestRecord } from '@countersign/api/service-schema.js';
import type { Bytes } from '@countersign/core/bytes.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { EntryOutcome } from '@countersign/vault/ledger/apply-entry.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { z } from 'zod';
import { answerOfLedgerOutcome } from './ledger-answer.js';
import { answerOfSignResult } from './sign-answer.js';

export type RequestRecord = z.input<typeof requestRecord>;

/** Whether reading this record could show a secret for the first time. */
export function mayReveal(state: VaultState, outcome: EntryOutcome, callerId: string): boolean {
  return (
    outcome.operation?.hasSecret === true &&
    outcome.refusal === undefined &&
    outcome.actorId === callerId &&
    !isPending(state, outcome)
  );
}

/** The record of a request that the ledger holds; undefined when nobody known made it. */
export function ledgerRequestRecord(
  state: VaultState,
  outcome: EntryOutcome,
  evidenceKeys: EvidenceKeys,
  options: { readonly withSecret: boolean },
): RequestRecord | undefined {
  const { requestId, operation, actorId } = outcome;
  if (requestId === undefined || operation === undefined || actorId === undefined) {
    return undefined;
  }
  const at = timeView(outcome.at);
  const common = {
    request_id: requestId,
    operation: operation.id,
    created_at: at,
    created_by: actorId,
    expires_at: null,
    approvals: { required: 0, given: [] },
  };
  if (outcome.refusal !== undefined) {
    return {
      ...common,
      status: 'rejected',
      completed_at: at,
      error: errorView(outcome.refusal),
    };
  }
  if (isPending(state, outcome)) return { ...common, status: 'processing', phase: 'working' };
  const failure =
    outcome.subject === undefined ? undefined : operation.findFailure?.(state, outcome.subject);
  if (failure !== undefined) return { ...common, status: 'failed', error: errorView(failure) };
  const answer = answerOfLedgerOutcome(state, outcome, evidenceKeys, options);
  return {
    ...common,
    status: 'completed',
    // an operation that goes on after its entry ends with the parties' work, at a time not kept
    ...(operation.isPending === undefined && { completed_at: at }),
    result: isRefusal(answer) ? null : answer,
  };
}

function isPending(state: VaultState, { operation, subject }: EntryOutcome): boolean {
  return subject !== undefined && operation?.isPending?.(state, subject) === true;
}

function errorView(refusal: Refusal): { err_type: string; err_msg: string } {
  return { err_type: refusal.refused, err_msg: refusal.message };
}

/** A signing request as PostgreSQL has it. */
export interface SigningRequestRow {
  readonly requestId: string;
  readonly operation: string;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Absent when the request was never answered 202. */
  readonly expiresAt: number | undefined;
  /** Absent until it came to an end. */
  readonly result:
    | {
        readonly completedAt: number;
        readonly outcome: RecordedOutcome;
        readonly sealedEvidence: Bytes;
      }
    | undefined;
}

/** The record of a request for a signature; `now` (ms) tells whether its time is over. */
export function signingRequestRecord(
  state: VaultState,
  row: SigningRequestRow,
  now: number,
  evidenceKeys: EvidenceKeys,
): RequestRecord {
  const expiresAt = row.expiresAt ?? row.createdAt + SIGN_TIME_TO_LIVE_MS;
  const common = {
    request_id: row.requestId,
    operation: row.operation,
    created_at: timeView(row.createdAt),
    created_by: row.createdBy,
    expires_at: timeView(expiresAt),
    approvals: { required: 0, given: [] },
  };
  if (row.result === undefined) {
    return now < expiresAt
      ? { ...common, status: 'processing', phase: 'queued' }
      : { ...common, status: 'expired' };
  }
  const { outcome, sealedEvidence, completedAt } = row.result;
  const ended = { ...common, completed_at: timeView(completedAt) };
  return outcome.outcome === 'signed'
    ? {
        ...ended,
        status: 'completed',
        result: answerOfSignResult(state, outcome, sealedEvidence, evidenceKeys),
      }
    : {
        ...ended,
        status: 'rejected',
        error: { err_type: outcome.errType, err_msg: outcome.reason },
      };
}
