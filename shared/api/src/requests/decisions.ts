/** Decisions about waiting requests. */
import * as s from '@countersign/core/shapes.js';
import { apiRequest } from './api-request.js';
import { id, oneLine } from './primitives.js';

export const approvalRequest = apiRequest({
  id: 'approve-request',
  method: 'POST',
  path: '/v1/requests/{request_id}/approve',
  action: 'self',
  body: s.strictObject({
    digest: s.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case'),
    rule_ids: s
      .array(id)
      .min(1)
      .max(16)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a rule twice')
      .optional(),
  }),
});

const endBody = s.strictObject({ reason: oneLine(512).optional() });

export const rejectionRequest = apiRequest({
  id: 'reject-request',
  method: 'POST',
  path: '/v1/requests/{request_id}/reject',
  action: 'self',
  body: endBody,
  bodyOptional: true,
});

export const cancellationRequest = apiRequest({
  id: 'cancel-request',
  method: 'POST',
  path: '/v1/requests/{request_id}/cancel',
  action: 'self',
  body: endBody,
  bodyOptional: true,
});
