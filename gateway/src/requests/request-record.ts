/**
 * What a request came to, rebuilt from where it is recorded: the ledger for changes of governance, a
 * row of request_result for signatures. Nothing is stored a second time.
 */
import { timeView } from '@countersign/api/common-schema.js';
import type { requestRecord } from '@countersign/api/service-schema.js';
import { parseBase64, type Bytes } from '@countersign/core/bytes.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { decodeSealedEvidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { openSigningDetails } from '@countersign/runtime/jobs/sign-outcome.js';
import type { RecordedOutcome, SignedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { EntryOutcome } from '@countersign/vault/ledger/apply-entry.js';
import type { Key, VaultState, Wallet } from '@countersign/vault/state/state.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { NETWORK_FAMILIES } from '@countersign/core/vocabulary.js';
import { parseInput } from '@countersign/vault/operations/operation.js';
import type { Signed, SigningTarget } from '@countersign/vault/operations/signing-operation.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import { receiptView } from '@countersign/api/receipt.js';
import type { z } from 'zod';

export type RequestRecord = z.input<typeof requestRecord>;

const SECRET_FIELDS = ['api_key', 'enrollment_code'];

/**
 * The answer to an accepted entry whose effect is complete; a refusal when what it made is gone since.
 * Without `withSecret` no secret is derived, and its field is left out.
 */
export function answerOfLedgerOutcome(
  state: VaultState,
  outcome: EntryOutcome,
  evidenceKeys: EvidenceKeys,
  { withSecret }: { readonly withSecret: boolean },
): unknown {
  const { operation, subject, sealedCredential, hash } = outcome;
  if (operation === undefined || subject === undefined || sealedCredential === undefined) {
    throw new Error(`entry ${outcome.seq} has no answer`);
  }
  const failure = operation.findFailure?.(state, subject);
  if (failure !== undefined) return failure;
  const secret = withSecret
    ? (label: string) => evidenceKeys.derive(sealedCredential, label, hash)
    : () => Buffer.alloc(32);
  const answer = operation.answer(state, subject, { secret });
  return withSecret || operation.hasSecret !== true ? answer : withoutSecrets(answer);
}

function withoutSecrets(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).filter(([name]) => !SECRET_FIELDS.includes(name)),
  );
}

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

/** The answer to a request that was signed, from its evidence and the lead's recorded outcome. */
export function answerOfSignResult(
  state: VaultState,
  outcome: SignedOutcome,
  sealedEvidence: Bytes,
  evidenceKeys: EvidenceKeys,
): unknown {
  const evidence = decodeSealedEvidence(sealedEvidence);
  const matched = findSigningOperation(evidence.method, evidence.path);
  if (matched === undefined) throw new Error('the evidence of a signature is no signing request');
  const { operation, params } = matched;
  const input = parseInput(operation, { params, query: evidence.query, body: evidence.body });
  if (isRefusal(input)) {
    throw new Error(`the evidence of a signature does not parse: ${input.message}`);
  }
  const target = signedTarget(state, outcome.receipt.keyId, params);
  const receipt = receiptView(outcome.receipt, outcome.receiptSignatures);
  return operation.answer(target, input, signedOf(outcome, evidenceKeys), receipt);
}

/** The recorded outcome as an operation answers from it. */
export function signedOf(outcome: SignedOutcome, evidenceKeys: EvidenceKeys): Signed {
  const { signature, details, receipt } = outcome;
  const { nonce, venueApiKey, passphrase } = openSigningDetails(details, receipt, evidenceKeys);
  const moment = { at: receipt.signedAt, nonce, requestId: receipt.requestId };
  return { signature, moment, venueApiKey, passphrase };
}

function signedTarget(
  state: VaultState,
  keyId: string,
  params: Readonly<Record<string, string>>,
): SigningTarget {
  const key = state.keys.rows.get(keyId);
  if (key === undefined) throw new Error(`key ${keyId} does not exist`);
  if (key.walletId === null) return { key, wallet: undefined };
  const wallet = state.wallets.rows.get(key.walletId) ?? removedWallet(key, key.walletId, params);
  return { key, wallet };
}

/** A removed wallet's key and address outlive it: its signatures can still be read. */
function removedWallet(
  key: Key,
  walletId: string,
  params: Readonly<Record<string, string>>,
): Wallet {
  const address = params['address'] ?? '';
  const publicKey = parseBase64(key.publicKey) ?? Buffer.alloc(0);
  const networkFamily = NETWORK_FAMILIES.find((family) => addressOf(family, publicKey) === address);
  if (networkFamily === undefined) throw new Error(`wallet ${walletId} has another address`);
  return {
    id: walletId,
    vaultId: params['vault_id'] ?? '',
    networkFamily,
    networks: [],
    displayName: key.displayName,
    keyId: key.id,
    address,
    frozen: null,
    createdAt: key.createdAt,
    createdBy: key.createdBy,
    lastUpdatedAt: key.lastUpdatedAt,
    lastUpdatedBy: key.lastUpdatedBy,
  };
}
