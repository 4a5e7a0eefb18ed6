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
} from '../example-values.js';
import { approvalRequest, cancellationRequest, rejectionRequest } from '../requests/decisions.js';

const { phase: _phase, content: _content, ...decided } = pendingRequest;
const ended = { ...decided, expires_at: null, completed_at: NOW, decided_by: USER_ID };

export const getRequestOperation = apiOperation({
  ...READ,
  tag: 'requests',
  id: 'get-request',
  path: '/v1/requests/{request_id}',
  summary: 'Get what a request came to',
  description:
    'The record of a change or of a signature: its status, and its result or error once it has ended. Poll it after an answer 202. A secret in the result (a new API key, an enrolment code) is shown once: to the requester, in the first answer that carries it. ' +
    'Callers see requests of their own and those that they are asked to approve. Callers with `view_system_resources` see all, those of others without their `result`. Answers 404 when there is no such request or the caller may not see it.',
  action: 'self',
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
  path: '/v1/requests',
  summary: 'List requests that wait, or waited',
  description:
    'Requests that wait, or waited, for approvals or for their time, oldest first, page by page. They are changes of the vault and signatures. A caller sees their own and those that they are asked to approve. A caller with `view_system_resources` sees all. Records as of `GET /v1/requests/{request_id}`, without results. With `status`, a page may hold fewer than its limit.',
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
    "Gives the caller's approval, once. It is for the request with this digest and no other; compute it from what you were shown (`countersign requests show --verify`). After the last approval the request takes effect at once, in its requester's name, whose rights are checked again. Where a policy delays it, it waits for its time first. The record then says `completed`, or `failed` and why. The parties give a signature within 60 seconds of its last approval, if the rules that decide by then have their approvals, or not at all. " +
    'Answers 403 for the requester, for a caller who is not asked to approve, and where the request could not be made any more. Answers 404 when there is no such request or the caller may not see it. Answers 409 when it waits no longer, is approved by the caller already, or has another digest. While the system is frozen it is allowed for what is.',
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
    'Ends the request for good. One rejection by somebody who is asked to approve is enough. Answers 403 for a caller who is not asked to approve. Answers 404 when there is no such request or the caller may not see it. Answers 409 when it waits no longer. Allowed while the system is frozen.',
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
    'Ends the request for good. Its requester may do so. While it is approved and waits for its time, so may anybody who may freeze what it touches. Answers 403 for others. Answers 404 when there is no such request or the caller may not see it. Answers 409 when it waits no longer. Allowed while the system is frozen.',
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
