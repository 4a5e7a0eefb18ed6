import { apiOperation, READ } from '../operation.js';
import { requestRecord } from '../service-schema.js';
import { CREATED_AT, OPERATOR_ID, REQUEST_ID, vault } from './example-values.js';
import { requestId } from './path-parameters.js';

export const getRequestOperation = apiOperation({
  ...READ,
  tag: 'requests',
  id: 'get-request',
  method: 'GET',
  path: '/v1/requests/{request_id}',
  summary: 'Get what a request came to',
  description:
    'The record of a change or of a signature: where it stands, and its result or error once it has ended. Poll it after an answer 202. A secret in the result (a new API key, an enrolment code) is shown to whoever made the request, in the first answer that carries it, and never again. ' +
    'Callers see requests of their own; those with `view_system_resources` see all, those of others without their `result`. Refused with 404 when there is no such request or the caller may not see it.',
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

export const REQUEST_OPERATIONS = [getRequestOperation] as const;
