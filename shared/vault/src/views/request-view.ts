import { timeView } from '@countersign/api/common-schema.js';
import type { requestRecord } from '@countersign/api/service-schema.js';
import type { z } from 'zod';
import type { HeldRequest } from '../state/state.js';

type RequestRecord = z.input<typeof requestRecord>;

/** As everybody sees it who may: with what was asked for, and without what it came to. `now`: ms. */
export function heldRequestView(row: HeldRequest, now: number): RequestRecord {
  const { call, endedAt, failure, reason, dueAt } = row;
  const required = Math.max(0, ...row.askedBy.map(({ quorum }) => quorum));
  return {
    request_id: row.id,
    operation: row.operation,
    ...statusOf(row, now),
    created_at: timeView(row.createdAt),
    created_by: row.createdBy,
    expires_at: row.status === 'waiting' ? timeView(row.expiresAt) : null,
    ...(dueAt !== null && { takes_effect_at: timeView(dueAt) }),
    ...(endedAt !== null && { completed_at: timeView(endedAt) }),
    ...(row.endedBy !== null && { decided_by: row.endedBy }),
    ...(reason !== null && {
      error: { err_type: failure ?? 'forbidden', err_msg: reason },
    }),
    approvals: { required, given: row.given.map(({ userId }) => userId) },
    asked_by: row.askedBy.map(({ policyId, version, quorum }) => ({
      policy_id: policyId,
      version,
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

function statusOf(
  { status, expiresAt }: HeldRequest,
  now: number,
): Pick<RequestRecord, 'status' | 'phase'> {
  if (status === 'delayed') return { status: 'processing', phase: 'queued' };
  if (status === 'applied') return { status: 'completed' };
  if (status !== 'waiting') return { status };
  return expiresAt <= now
    ? { status: 'expired' }
    : { status: 'processing', phase: 'awaiting_approval' };
}
