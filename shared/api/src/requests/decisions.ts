/** Decisions about waiting requests. */
import * as s from '@countersign/core/shapes.js';
import { apiRequest } from './api-request.js';
import { id, oneLine } from './primitives.js';

export const approvalRequest = apiRequest(
  'approve-request',
  'POST /v1/requests/{request_id}/approve',
  'self',
  {
    body: s.strictObject({
      digest: s.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case'),
      rule_ids: s
        .array(id)
        .min(1)
        .max(16)
        .refine((ids) => new Set(ids).size === ids.length, 'must not name a rule twice')
        .optional(),
    }),
  },
);

const endBody = s.strictObject({ reason: oneLine(512).optional() });

export const rejectionRequest = apiRequest(
  'reject-request',
  'POST /v1/requests/{request_id}/reject',
  'self',
  { body: endBody, bodyOptional: true },
);

export const cancellationRequest = apiRequest(
  'cancel-request',
  'POST /v1/requests/{request_id}/cancel',
  'self',
  { body: endBody, bodyOptional: true },
);
