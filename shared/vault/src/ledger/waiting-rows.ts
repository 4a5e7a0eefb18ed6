/** Rows of requests that wait: what they keep of a request, and how many there may be. */
import { approvalDigest } from '@countersign/core/approval.js';
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import { closed, openRequests } from '../operations/pending-state.js';
import type { Demand } from '../policy/admin-policy.js';
import { credentialMark, RELEASE_LIFE_MS } from '../policy/approvals.js';
import type { AskedBy, PendingRequest, VaultState } from '../state/state.js';
import { insertRow } from '../state/table.js';
import type { LoggedRequest } from './entry-types.js';
import type { Act } from './judging.js';

/** Bounds of what waits: each row holds a body of at most 256 KiB. */
export const MAX_HELD = 1_000;
export const MAX_HELD_BY_ONE = 50;
export const MAX_HELD_BYTES = 16 * 1024 * 1024;
export const MAX_HELD_BYTES_BY_ONE = 2 * 1024 * 1024;

/** What every request that waits begins with. */
export function newRow(
  { operation, actor, at, query, body, entryHash }: Act,
  { evidence: { method, path }, digest, requestId }: OpenedRequest,
  { sealedCredential }: Pick<LoggedRequest, 'sealedCredential'>,
): Omit<PendingRequest, 'actions' | 'vaultIds' | 'askedBy' | 'expiresAt'> {
  const call = { transcript: digest, requester: actor.id, method, path, query, body };
  return {
    id: requestId,
    operation: operation.id,
    digest: toHex(approvalDigest(call)),
    call: {
      method,
      path,
      query,
      body: toBase64(body),
      transcript: toHex(digest),
      entryHash: toHex(entryHash),
      sealedCredential: toBase64(sealedCredential),
    },
    createdAt: at,
    createdBy: actor.id,
    credential: credentialMark(actor),
    given: [],
    ...{ dueAt: null, status: 'waiting', endedAt: null, endedBy: null },
    ...{ reason: null, failure: null, subject: null },
  };
}

export function askedByOf({ policy: { id, version, ruleId }, approvals }: Demand): AskedBy {
  const quorum = approvals?.quorum ?? 0;
  return { policyId: id, version, ...(ruleId !== undefined && { ruleId }), quorum };
}

/** When the next of the waiting requests comes due or expires, ms; undefined for none. */
export function nextDueAt(state: VaultState): number | undefined {
  const open = openRequests(state);
  return open.length === 0 ? undefined : Math.min(...open.map(dueAtOf));
}

/** When a delayed change takes effect, an approval comes too late, or a signature may no longer be given. */
function dueAtOf({ status, expiresAt, dueAt, releasedAt }: PendingRequest): number {
  if (releasedAt !== undefined) return releasedAt + RELEASE_LIFE_MS;
  return status === 'waiting' ? expiresAt : (dueAt ?? Infinity);
}

/** Ends requests that nobody can decide any more, and drops what they asked for. */
export function withoutExpired(state: VaultState, at: number): VaultState {
  return openRequests(state).reduce((now, row) => {
    const { status, expiresAt, releasedAt } = row;
    if (status === 'delayed' || dueAtOf(row) > at) return now;
    return releasedAt === undefined
      ? closed(now, row, { status: 'expired', endedAt: expiresAt, endedBy: null })
      : closed(now, row, { status, endedAt: releasedAt, endedBy: null });
  }, state);
}

/** Adds the row. Signatures and changes are counted apart, so that neither can keep the other out. */
export function withHeld(before: VaultState, row: PendingRequest): VaultState | Refusal {
  const state = withoutExpired(before, row.createdAt);
  const others = openRequests(state).filter(
    ({ signing }) => (signing === undefined) === (row.signing === undefined),
  );
  const open = [...others, row];
  const own = open.filter(({ createdBy }) => createdBy === row.createdBy);
  const isTooMuch =
    open.length > MAX_HELD ||
    own.length > MAX_HELD_BY_ONE ||
    bytesOf(open) > MAX_HELD_BYTES ||
    bytesOf(own) > MAX_HELD_BYTES_BY_ONE;
  return isTooMuch
    ? refuse('resource_conflict', 'too many requests wait for approval: have some decided first')
    : { ...state, pendingRequests: insertRow(state.pendingRequests, row) };
}

/** Counts the bodies, in base64: nothing else in a row is large. */
function bytesOf(rows: readonly PendingRequest[]): number {
  return rows.reduce((sum, { call }) => sum + (call?.body.length ?? 0), 0);
}
