import * as s from '@countersign/core/shapes.js';
import { parseBase64Url } from '@countersign/core/bytes.js';
import { apiRequest } from './api-request.js';
import { displayName, id } from './primitives.js';

const base64Url = (minBytes: number, maxBytes: number) =>
  s
    .string()
    .max(Math.ceil((maxBytes * 4) / 3))
    .refine((text) => {
      const length = parseBase64Url(text)?.length ?? 0;
      return length >= minBytes && length <= maxBytes;
    }, `must be ${minBytes} to ${maxBytes} bytes in base64url without padding`);

export const registerPasskeyRequest = apiRequest('register-passkey', 'POST /v1/passkeys', 'self', {
  body: s.strictObject({
    display_name: displayName.optional(),
    credential_id: base64Url(1, 1_023),
    public_key: base64Url(32, 1_024),
    authenticator_data: base64Url(37, 4_096),
    enrollment: s
      .strictObject({
        user_id: id,
        proof: s
          .string()
          .regex(/^(?:[0-9a-f]{64}){1,2}$/, 'must be 64 or 128 lower-case hex characters'),
      })
      .optional(),
  }),
});

export type PasskeyRegistration = s.OutputOf<typeof registerPasskeyRequest.body>;

export const deletePasskeyRequest = apiRequest(
  'delete-passkey',
  'DELETE /v1/passkeys/{credential_id}',
  'self',
);
