import { listRequestsOperation } from '@countersign/api/operations/requests.js';
import { isRefusal } from '@countersign/core/errors.js';
import { authorizeAdmin } from '@countersign/vault/policy/admin-policy.js';
import { isAsked, maySeeHeld } from '@countersign/vault/policy/approvals.js';
import type { HeldRequest } from '@countersign/vault/state/state.js';
import { heldRequestView } from '@countersign/vault/views/request-view.js';
import { pageOf } from './page.js';
import { readOperation, type ReadContext } from './read-operation.js';

export const listRequests = readOperation({
  ...listRequestsOperation,
  handle(context, { query }) {
    const { state, caller, now } = context;
    const seesAll = !isRefusal(authorizeAdmin(state, caller, 'view_system_resources'));
    const { status, awaiting_my_approval: awaiting } = query;
    return pageOf(context, {
      name: 'requests',
      table: state.heldRequests,
      query,
      matches: (row) =>
        (seesAll || maySeeHeld(state, row, caller)) &&
        (status === undefined || heldRequestView(row, now).status === status) &&
        (awaiting === undefined || awaitsApproval(context, row) === (awaiting === 'true')),
      view: (row) => heldRequestView(row, now),
    });
  },
});

/** Whether the caller's approval is asked for and not given. */
function awaitsApproval({ state, caller, now }: ReadContext, row: HeldRequest): boolean {
  return (
    row.status === 'waiting' &&
    row.expiresAt > now &&
    !row.given.some(({ userId }) => userId === caller.id) &&
    isAsked(state, row, caller)
  );
}
