/**
 * Rebuilds the record of a request from where it is stored: the ledger for changes of governance, a row of
 * request_result for signatures. Nothing is stored a second time.
 */
import { receiptView } from '@countersign/api/receipt.js';
import { timeView } from '@countersign/api/common-schema.js';
import type { requestRecord } from '@countersign/api/service-schema.js';
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { digestOf, type Evidence } from '@countersign/core/evidence.js';
import { evidenceKeyIdOf, type EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { provenReceipt } from '@countersign/runtime/jobs/sign-outcome.js';
import { SIGN_SETTLES_MS, SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { authenticate } from '@countersign/vault/authentication/authenticate.js';
import { isStale } from '@countersign/vault/authentication/stale-refusal.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import type { LoggedRequest } from '@countersign/vault/ledger/entry-types.js';
import type { LedgerOperation } from '@countersign/vault/operations/ledger-operation.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { findOperation } from '@countersign/vault/operations/find-operation.js';
import { SIGNING_HOLDS } from '@countersign/vault/operations/signing-holds.js';
import { isUsableEvidenceKey, type VaultState } from '@countersign/vault/state/state.js';
import type * as s from '@countersign/core/shapes.js';
import { isObeyed } from './obeyed-freeze.js';
import { findKeyFailure, isKeyPending, makesKeys } from '@countersign/vault/operations/key-work.js';
import { pendingRequestView } from '@countersign/vault/views/request-view.js';
import { withWhatCameOfIt } from './pending-outcome.js';
import { answerOfLedgerOutcome, showsSecret } from './ledger-answer.js';
import type { BatchPlace, CheckedResult } from './checked-results.js';
import { answerOfSignResult, refuseWhileFrozen } from './sign-answer.js';
import { publicText } from '../http/public-error.js';

export type RequestRecord = s.InputOf<typeof requestRecord>;

/** Whether reading this record could show a secret for the first time. */
export function mayReveal(state: VaultState, outcome: EntryOutcome, callerId: string): boolean {
  const { outcome: now, held } = withWhatCameOfIt(state, outcome);
  return (
    outcome.operation !== undefined &&
    showsSecret(outcome.operation) &&
    outcome.refusal === undefined &&
    outcome.actorId === callerId &&
    (held === undefined || held.status === 'applied') &&
    !isPending(state, now)
  );
}

/** The record of a request that the ledger holds; undefined when no known user made it. */
export function ledgerRequestRecord(
  view: Pick<LedgerView, 'state' | 'acknowledged'>,
  judged: EntryOutcome,
  evidenceKeys: EvidenceKeys,
  options: { readonly withSecret: boolean; readonly now: number },
): RequestRecord | undefined {
  const { outcome, held } = withWhatCameOfIt(view.state, judged);
  const { requestId, operation, actorId } = outcome;
  if (requestId === undefined || operation === undefined || actorId === undefined) {
    return undefined;
  }
  const common = {
    request_id: requestId,
    operation: operation.id,
    created_at: timeView(outcome.at),
    created_by: actorId,
    expires_at: null,
    ...countersignedBy(outcome),
    approvals: { required: 0, given: [] },
  };
  if (held === undefined) {
    const at = timeView(outcome.at);
    return { ...common, ...whatCameOf(view, { ...outcome, operation }, at, evidenceKeys, options) };
  }
  const { completed_at: at, status, ...shown } = pendingRequestView(view.state, held, options.now);
  return held.status !== 'applied' || at === undefined
    ? { ...common, ...shown, status, ...(at !== undefined && { completed_at: at }) }
    : {
        ...common,
        ...shown,
        ...whatCameOf(view, { ...outcome, operation }, at, evidenceKeys, options),
      };
}

function countersignedBy({ judgedBy }: EntryOutcome): Pick<RequestRecord, 'countersignatures'> {
  if (judgedBy === undefined) return {};
  const countersignatures = judgedBy.countersignatures.map(({ party, at }) => ({
    party,
    at: timeView(at),
  }));
  return { countersignatures };
}

/** The end of a change that was judged, or that had waited and was carried out. `at`: when. */
function whatCameOf(
  { state, acknowledged }: Pick<LedgerView, 'state' | 'acknowledged'>,
  outcome: EntryOutcome & { readonly operation: LedgerOperation },
  at: string,
  evidenceKeys: EvidenceKeys,
  options: { readonly withSecret: boolean; readonly now: number },
): Pick<RequestRecord, 'status' | 'phase' | 'completed_at' | 'error' | 'result'> {
  const { operation, subject, refusal } = outcome;
  if (refusal !== undefined) {
    if (isStale(refusal)) return { status: 'expired', completed_at: at };
    return { status: 'rejected', completed_at: at, error: errorView(refusal) };
  }
  const isObeyedBy =
    operation.action !== 'freeze' ||
    isObeyed({ acknowledged }, outcome.seq, options.now - outcome.at);
  if (isPending(state, outcome) || !isObeyedBy) return { status: 'processing', phase: 'working' };
  const failure = subject === undefined ? undefined : findKeyFailure(state, operation, subject);
  if (failure !== undefined) return { status: 'failed', error: errorView(failure) };
  const answer = answerOfLedgerOutcome(state, outcome, evidenceKeys, options);
  return {
    status: 'completed',
    // an operation that goes on after its entry ends with the parties' work, whose time is not kept
    ...(!makesKeys(operation) && { completed_at: at }),
    result: isRefusal(answer) ? null : answer,
  };
}

/**
 * The record of a request that no two parties have covered. Nobody knows how it ends: countersignatures that were kept
 * back count when they appear, with their old date. So it has not expired until two parties have voided it.
 */
export function waitingRequestRecord({
  requestId,
  operation,
  createdBy,
  signedAt,
}: WaitingRequest): RequestRecord {
  return {
    request_id: requestId,
    operation: operation.id,
    created_at: timeView(signedAt),
    created_by: createdBy,
    expires_at: null,
    approvals: { required: 0, given: [] },
    ...{ status: 'processing', phase: 'undecided' },
  };
}

/** A change of the vault that two parties have not judged yet. */
export interface WaitingRequest {
  readonly requestId: string;
  readonly operation: LedgerOperation;
  readonly createdBy: string;
  /** By the caller's clock, ms. */
  readonly signedAt: number;
}

const HOLDING = [...LEDGER_OPERATIONS, ...SIGNING_HOLDS];

/** Undefined when no request of a known caller with this id waits. */
export function findWaitingRequest(
  { pending, state }: Pick<LedgerView, 'pending' | 'state'>,
  requestId: string,
): WaitingRequest | undefined {
  for (const { request } of pending) {
    if (request === undefined || !isReadable(state, request)) continue;
    const opened = request.open();
    if (opened.requestId !== requestId) continue;
    const { evidence } = opened;
    const matched = findOperation(HOLDING, evidence.method, evidence.path);
    const caller = authenticate(state, opened, { now: request.signedAt, staleAt: undefined });
    if (matched === undefined || isRefusal(caller)) continue;
    const { signedAt } = request;
    return { requestId, operation: matched.operation, createdBy: caller.id, signedAt };
  }
  return undefined;
}

/** Whether it opens: anybody may append an entry that does not. */
function isReadable(state: VaultState, { sealedCredential, open }: LoggedRequest): boolean {
  try {
    if (!isUsableEvidenceKey(state, evidenceKeyIdOf(sealedCredential))) return false;
    open();
    return true;
  } catch {
    return false;
  }
}

function isPending(state: VaultState, { operation, subject }: EntryOutcome): boolean {
  return (
    subject !== undefined && operation !== undefined && isKeyPending(state, operation, subject)
  );
}

function errorView(refusal: Refusal): { err_type: string; err_msg: string } {
  return { err_type: refusal.refused, err_msg: publicText(refusal) };
}

/** A signing request as PostgreSQL stores it. */
export interface SigningRequestRow {
  readonly requestId: string;
  readonly operation: string;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Absent when the request was never answered 202. */
  readonly expiresAt: number | undefined;
  /** Absent while it has not ended. */
  readonly result:
    | Pick<CheckedResult, 'outcome' | 'asked' | 'evidence' | 'completedAt'>
    | undefined;
  /** Of an item: the batch that asked for it. */
  readonly batch?: BatchPlace;
}

/** The record of a request for a signature. `now` (ms) decides whether it has expired. */
export function signingRequestRecord(
  { optimistic }: Pick<LedgerView, 'optimistic'>,
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
    ...(row.batch !== undefined && { batch: row.batch }),
  };
  if (row.result === undefined) {
    return now < expiresAt + SIGN_SETTLES_MS // until then what was signed in time may still come
      ? { ...common, status: 'processing', phase: 'queued' }
      : { ...common, status: 'expired' };
  }
  const { outcome, asked, evidence, completedAt } = row.result;
  const ended = {
    ...common,
    completed_at: timeView(completedAt),
    content: contentView(evidence),
    ...(outcome.outcome === 'signed' && { receipt: receiptView(provenReceipt(outcome)) }),
  };
  const frozen =
    outcome.outcome === 'signed'
      ? refuseWhileFrozen(optimistic, outcome, row.createdBy)
      : undefined;
  if (frozen !== undefined) return { ...ended, status: 'completed', error: errorView(frozen) };
  return outcome.outcome === 'signed'
    ? {
        ...ended,
        status: 'completed',
        result: answerOfSignResult(asked, outcome, evidenceKeys),
      }
    : {
        ...ended,
        status: 'rejected',
        error: { err_type: outcome.errType, err_msg: outcome.reason },
      };
}

/** What was asked for, without the caller's credential, assertion, timestamp and nonce. */
export function contentView(evidence: Evidence): NonNullable<RequestRecord['content']> {
  const { method, path, query, body } = evidence;
  return {
    transcript: toHex(digestOf(evidence)),
    method,
    path,
    query,
    body: toBase64(body),
  };
}

/** A request that a gateway refused, or could not carry out. */
export interface RefusedRequestRow {
  readonly requestId: string;
  readonly action: string;
  readonly actor: string;
  readonly at: Date;
  readonly err_type: string;
  readonly reason: string;
}

export function refusedRequestRecord(row: RefusedRequestRow): RequestRecord {
  const at = timeView(row.at.getTime());
  const isFailure = row.err_type === 'gateway_timeout' || row.err_type === 'internal_server_error';
  return {
    request_id: row.requestId,
    operation: row.action,
    status: isFailure ? 'failed' : 'rejected',
    created_at: at,
    created_by: row.actor,
    expires_at: null,
    completed_at: at,
    error: { err_type: row.err_type, err_msg: row.reason },
    approvals: { required: 0, given: [] },
  };
}
