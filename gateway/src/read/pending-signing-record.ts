/**
 * The record of a signature that waits, or waited, for approvals. While it waits it shows the facts and deciding rules,
 * which this gateway reads from the signed bytes. Afterwards it shows the parties' result.
 */
import { isRefusal } from '@countersign/core/errors.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import {
  evaluateSigning,
  type ReadySigning,
} from '@countersign/vault/operations/signing-operation.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import type { PendingRequest, User, VaultState } from '@countersign/vault/state/state.js';
import { pendingRequestView } from '@countersign/vault/views/request-view.js';
import { factsView } from './signing-facts-view.js';
import type { RequestRecord } from '../requests/request-record.js';

/** While it waits, adds its facts and the rules that decide about it now. */
export function pendingSigningView(
  state: VaultState,
  row: PendingRequest,
  now: number,
): RequestRecord {
  const record = pendingRequestView(row, now);
  const requester = state.users.rows.get(row.createdBy);
  const read = requester && row.status === 'waiting' ? readHeld(state, row, requester, now) : null;
  if (requester === undefined || read == null) return record;
  const { asked } = read;
  return {
    ...record,
    approvals: {
      ...record.approvals,
      required: Math.max(0, ...asked.map(({ approvals }) => approvals.quorum)),
    },
    asked_by: asked.map(({ policy, rule, approvals }) => ({
      policy_id: policy.id,
      version: policy.version,
      rule_id: rule.id,
      quorum: approvals.quorum,
    })),
    facts: factsOf(read, requester, now),
  };
}

/** Adds the parties' result to a released one. */
export function endedSigningView(record: RequestRecord, made: RequestRecord): RequestRecord {
  const { expires_at: _expiresAt, phase: _phase, ...kept } = record;
  const { status, completed_at: completedAt, content, receipt, result, error } = made;
  return {
    ...kept,
    status,
    expires_at: null,
    ...(completedAt !== undefined && { completed_at: completedAt }),
    ...(content !== undefined && { content }),
    ...(receipt !== undefined && { receipt }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}

/** Evaluates a waiting signature now; undefined if it could not be signed, whoever approved it. `now`: ms. */
export function readHeld(
  state: VaultState,
  { call }: PendingRequest,
  initiator: User,
  now: number,
): ReadySigning | undefined {
  const matched = call === null ? undefined : findSigningOperation(call.method, call.path);
  if (call === null || matched === undefined) return undefined;
  const evidence = { query: call.query, body: parseBase64(call.body) ?? Buffer.alloc(0) };
  const asking = { initiator, receivedAt: now, waited: true };
  const ready = evaluateSigning(state, matched, evidence, asking);
  return isRefusal(ready) ? undefined : ready;
}

function factsOf(ready: ReadySigning, initiator: User, receivedAt: number) {
  const { operation, key, wallet, networkId, venue, transaction, messageAt } = ready;
  const facts = {
    ...{ operation: operation.name, initiator, receivedAt, networkId, transaction },
    venueId: key.venueId ?? undefined,
    keyId: key.id,
    walletId: wallet?.id,
    venue: venue?.facts,
  };
  // a venue request is composed only later, for the time of its signature
  const isRaw = operation.name === 'raw_sign';
  return factsView(facts, isRaw ? messageAt({ at: 0, nonce: 0n, requestId: '' }) : undefined);
}
