import { listRequestsOperation } from '@countersign/api/operations/requests.js';
import { isRefusal } from '@countersign/core/errors.js';
import { authorizeAdmin } from '@countersign/vault/policy/admin-policy.js';
import { isAsked, maySeePending } from '@countersign/vault/policy/approvals.js';
import type { PendingRequest } from '@countersign/vault/state/state.js';
import { pendingRequestView, shownApprovals } from '@countersign/vault/views/request-view.js';
import { asksNow, endedSigningView, pendingSigningView } from './pending-signing-record.js';
import { signingRequestRecord, type RequestRecord } from '../requests/request-record.js';
import { pageOf } from './page.js';
import { readOperation, type ReadContext } from './read-operation.js';

export const listRequests = readOperation({
  ...listRequestsOperation,
  async handle(context, { query }) {
    const { state, caller, now } = context;
    const seesAll = !isRefusal(authorizeAdmin(state, caller, 'view_system_resources'));
    const { status, awaiting_my_approval: awaiting } = query;
    const page = pageOf(context, {
      name: 'requests',
      table: state.pendingRequests,
      query,
      matches: (row) =>
        (seesAll || maySeePending(state, row, caller)) &&
        (status === undefined ||
          row.releasedAt !== undefined ||
          pendingRequestView(state, row, now).status === status) &&
        (awaiting === undefined || awaitsApproval(context, row) === (awaiting === 'true')),
      view: (row) => row,
    });
    if (isRefusal(page)) return page;
    const results = await recordsOf(context, page.results);
    // the state does not say how released ones ended: such a page may hold fewer than its limit
    return {
      ...page,
      results: results.filter((record) => status === undefined || record.status === status),
    };
  },
});

async function recordsOf(
  context: ReadContext,
  rows: readonly PendingRequest[],
): Promise<RequestRecord[]> {
  const { state, view, now, evidenceKeys } = context;
  const released = rows.filter(({ releasedAt }) => releasedAt !== undefined);
  const ids = released.map(({ id }) => id);
  const results = ids.length === 0 ? undefined : await context.results.findAll(ids);
  return rows.map((row) => {
    const record = row.signing
      ? pendingSigningView(context, row)
      : pendingRequestView(state, row, now);
    const result = results?.get(row.id);
    if (result === undefined) return record;
    const { id: requestId, operation, createdBy, createdAt } = row;
    const found = { requestId, operation, createdBy, createdAt, expiresAt: undefined, result };
    const {
      result: _result,
      content: _content,
      receipt: _receipt,
      ...made
    } = signingRequestRecord(view, found, now, evidenceKeys);
    return endedSigningView(record, made);
  });
}

/** Whether the caller's approval is asked for, and none of theirs counts yet. */
function awaitsApproval(context: ReadContext, row: PendingRequest): boolean {
  const { state, caller, now } = context;
  if (row.status !== 'waiting' || row.expiresAt <= now || !isAsked(state, row, caller))
    return false;
  return row.signing === undefined
    ? !shownApprovals(state, row, now).some(({ userId }) => userId === caller.id)
    : asksNow(context, row, caller);
}
