import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import * as s from '@countersign/core/shapes.js';
import { apiRequest } from './api-request.js';

const KEY_CHARACTERS = 44;
const publicKey = s.string().length(KEY_CHARACTERS);

export const replacePartyRequest = apiRequest(
  'replace-party',
  'PUT /v1/system/parties/{party}',
  'modify_system_settings',
  {
    body: s.strictObject({
      identity_public_key: publicKey,
      exchange_public_key: publicKey,
    }),
  },
);

export const refreshSharesRequest = apiRequest(
  'refresh-shares',
  'POST /v1/system/shares/refresh',
  'modify_system_settings',
  {
    body: s.strictObject({
      dealers: s.array(s.literal(PARTY_NUMBERS)).length(2),
    }),
  },
);
