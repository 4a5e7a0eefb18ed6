/**
 * The record of a signature that waits for approvals, or waited: while it waits, what it says and which rules decide, as
 * this gateway reads it from the signed bytes; afterwards what the parties made of it.
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

/** While it waits: with what it says, and the rules that decide about it now. */
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

/** One that was released, with what the parties made of it. */
export function endedSigningView(record: RequestRecord, made: RequestRecord): RequestRecord {
  const { expires_at: _expiresAt, phase: _phase, ...kept } = record;
  const { status, completed_at: completedAt, result, error } = made;
  return {
    ...kept,
    status,
    expires_at: null,
    ...(completedAt !== undefined && { completed_at: completedAt }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}

/** What a signature that waits comes to now; undefined where it could not be signed whoever approved it. `now`: ms. */
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
  // what a venue is sent is composed for a moment that is still to come
  const isRaw = operation.name === 'raw_sign';
  return factsView(facts, isRaw ? messageAt({ at: 0, nonce: 0n, requestId: '' }) : undefined);
}
