import { apiOperation, READ, WRITE } from '../operation.js';
import { approvalTexts, endTexts, listRequestsQuery, requestPage } from '../request-schema.js';
import { requestRecord } from '../service-schema.js';
import {
  CREATED_AT,
  pendingRequest,
  NOW,
  OPERATOR_ID,
  REQUEST_ID,
  USER_ID,
  vault,
} from './example-values.js';
import { requestId } from './path-parameters.js';
import { approvalRequest, cancellationRequest, rejectionRequest } from '../requests/decisions.js';

const { phase: _phase, content: _content, ...decided } = pendingRequest;
const ended = { ...decided, expires_at: null, completed_at: NOW, decided_by: USER_ID };

export const getRequestOperation = apiOperation({
  ...READ,
  tag: 'requests',
  id: 'get-request',
  method: 'GET',
  path: '/v1/requests/{request_id}',
  summary: 'Get what a request came to',
  description:
    'The record of a change or of a signature: where it stands, and its result or error once it has ended. Poll it after an answer 202. A secret in the result (a new API key, an enrolment code) is shown to whoever made the request, in the first answer that carries it, and never again. ' +
    'Callers see requests of their own and those that they are asked to approve; those with `view_system_resources` see all; those of others without their `result`. Refused with 404 when there is no such request or the caller may not see it.',
  action: 'self',
  params: { request_id: requestId },
  response: requestRecord,
  example: {
    response: {
      request_id: REQUEST_ID,
      operation: 'create-vault',
      status: 'completed',
      created_at: CREATED_AT,
      created_by: OPERATOR_ID,
      expires_at: null,
      completed_at: CREATED_AT,
      result: vault,
      approvals: { required: 0, given: [] },
    },
  },
});

export const listRequestsOperation = apiOperation({
  ...READ,
  tag: 'requests',
  id: 'list-requests',
  method: 'GET',
  path: '/v1/requests',
  summary: 'List requests that wait, or waited',
  description:
    'Requests that a policy has wait for approvals or for their time, changes of the vault and signatures, and what became of them, oldest first, page by page: those of the caller, those that the caller is asked to approve, and, for callers with `view_system_resources`, all. Records as of `GET /v1/requests/{request_id}`, without results. With `status`, a page may hold fewer than its limit.',
  action: 'self',
  query: listRequestsQuery,
  response: requestPage,
  example: {
    query: { awaiting_my_approval: 'true' },
    response: { results: [pendingRequest], next_cursor: null },
  },
});

const decides = { ...WRITE, tag: 'requests' } as const;

export const approveRequestOperation = apiOperation({
  ...decides,
  ...approvalRequest,
  texts: approvalTexts,
  summary: 'Approve a request that waits',
  description:
    "Gives the caller's approval, once. It is for the request with this digest and no other; compute it from what you were shown (`countersign request show --verify`). When no approval is missing any more the request takes effect at once, as its requester's, whose rights are looked at again, or waits for its time where a policy delays it; the record then says `completed`, or `failed` and why. A signature is given by the parties within 60 seconds of its last approval, if the rules that decide by then have theirs, or not at all. " +
    'Refused with 403 for whoever asked for it, who is not asked, or where the request could not be made any more, with 404 when there is no such request or the caller may not see it, and with 409 when it waits no longer, is approved by the caller already, or has another digest. Allowed while the system is frozen for what is.',
  params: { request_id: requestId },
  response: requestRecord,
  example: {
    body: { digest: pendingRequest.digest },
    response: {
      ...pendingRequest,
      approvals: { required: 2, given: [USER_ID] },
    },
  },
});

export const rejectRequestOperation = apiOperation({
  ...decides,
  ...rejectionRequest,
  texts: endTexts,
  summary: 'Reject a request that waits',
  description:
    'Ends it for good: one rejection by somebody who is asked to approve it is enough. Refused with 403 for who is not asked, with 404 when there is no such request or the caller may not see it, and with 409 when it waits no longer. Allowed while the system is frozen.',
  params: { request_id: requestId },
  response: requestRecord,
  example: {
    body: { reason: 'Not agreed with the desk' },
    response: {
      ...ended,
      status: 'rejected',
      error: { err_type: 'forbidden', err_msg: 'Not agreed with the desk' },
    },
  },
});

export const cancelRequestOperation = apiOperation({
  ...decides,
  ...cancellationRequest,
  texts: endTexts,
  summary: 'Cancel a request that waits',
  description:
    'Ends it for good: by whoever asked for it, and, while it is approved and waits for its time, by anybody who may freeze what it touches. Refused with 403 for others, with 404 when there is no such request or the caller may not see it, and with 409 when it waits no longer. Allowed while the system is frozen.',
  params: { request_id: requestId },
  response: requestRecord,
  example: { response: { ...ended, status: 'cancelled' } },
});

export const REQUEST_OPERATIONS = [
  getRequestOperation,
  listRequestsOperation,
  approveRequestOperation,
  rejectRequestOperation,
  cancelRequestOperation,
] as const;
