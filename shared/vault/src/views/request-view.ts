import { timeView } from '@countersign/api/common-schema.js';
import type { requestRecord } from '@countersign/api/service-schema.js';
import type * as s from '@countersign/core/shapes.js';
import { giverOf, RELEASE_LIFE_MS } from '../policy/approvals.js';
import type { GivenApproval, PendingRequest, VaultState } from '../state/state.js';

type RequestRecord = s.InputOf<typeof requestRecord>;

/** The record for everybody who may see it: with the request, without its result. `now`: ms. */
export function pendingRequestView(
  state: VaultState,
  row: PendingRequest,
  now: number,
): RequestRecord {
  const { call, endedAt, failure, reason, dueAt } = row;
  const required = Math.max(0, ...row.askedBy.map(({ quorum }) => quorum));
  return {
    request_id: row.id,
    operation: row.operation,
    ...statusOf(row, now),
    created_at: timeView(row.createdAt),
    created_by: row.createdBy,
    expires_at: expiryOf(row),
    ...(dueAt !== null && { takes_effect_at: timeView(dueAt) }),
    ...(endedAt !== null && { completed_at: timeView(endedAt) }),
    ...(row.endedBy !== null && { decided_by: row.endedBy }),
    ...(reason !== null && {
      error: { err_type: failure ?? 'forbidden', err_msg: reason },
    }),
    ...approvalsView(required, shownApprovals(state, row, now)),
    asked_by: row.askedBy.map(({ policyId, version, ruleId, quorum }) => ({
      policy_id: policyId,
      version,
      ...(ruleId !== undefined && { rule_id: ruleId }),
      quorum,
    })),
    digest: row.digest,
    ...(call !== null && {
      content: {
        transcript: call.transcript,
        method: call.method,
        path: call.path,
        query: call.query,
        body: call.body,
      },
    }),
  };
}

/** Of a request that waits, those that count now: whoever gave another one is asked anew. */
export function shownApprovals(
  state: VaultState,
  { status, given }: PendingRequest,
  now: number,
): readonly GivenApproval[] {
  return status === 'waiting'
    ? given.filter((one) => giverOf(state, one, now) !== undefined)
    : given;
}

export function approvalsView(
  required: number,
  given: readonly GivenApproval[],
): Pick<RequestRecord, 'approvals' | 'approved_at'> {
  const approvals = { required, given: given.map(({ userId }) => userId) };
  if (given.length === 0) return { approvals };
  return { approvals, approved_at: given.map(({ at }) => timeView(at)) };
}

function expiryOf({ status, expiresAt, releasedAt }: PendingRequest): string | null {
  if (releasedAt !== undefined) return timeView(releasedAt + RELEASE_LIFE_MS);
  return status === 'waiting' ? timeView(expiresAt) : null;
}

/** Status of a signature with complete approvals; whether the parties signed it is on record elsewhere. */
function releasedStatus(releasedAt: number, now: number): Pick<RequestRecord, 'status' | 'phase'> {
  return now < releasedAt + RELEASE_LIFE_MS
    ? { status: 'processing', phase: 'queued' }
    : { status: 'expired' };
}

function statusOf(
  { status, expiresAt, releasedAt }: PendingRequest,
  now: number,
): Pick<RequestRecord, 'status' | 'phase'> {
  if (status === 'delayed') return { status: 'processing', phase: 'queued' };
  if (status === 'applied') return { status: 'completed' };
  if (status === 'released') return releasedStatus(releasedAt ?? 0, now);
  if (status !== 'waiting') return { status };
  return expiresAt <= now
    ? { status: 'expired' }
    : { status: 'processing', phase: 'awaiting_approval' };
}
