import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  passkey,
  passkeyOptions,
  passkeyOptionsBody,
  registerPasskeyTexts,
} from '../passkey-schema.js';
import {
  PASSKEY_AUTHENTICATOR_DATA,
  PASSKEY_CREDENTIAL_ID,
  PASSKEY_PUBLIC_KEY,
  passkey as passkeyExample,
  USER_ID,
} from '../example-values.js';
import { deletePasskeyRequest, registerPasskeyRequest } from '../requests/passkeys.js';

const tag = 'passkeys';

export const passkeyOptionsOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-passkey-options',
  method: 'POST',
  path: '/v1/passkeys/registration-options',
  summary: 'Ask what to create a passkey with',
  description:
    'What `navigator.credentials.create()` needs to know. It takes a Bearer token alone and changes nothing. There is no challenge in it, because the vault does not rely on the registration: a passkey counts for what it signs. Use 32 random bytes as the challenge. Answers 401 for a code or token that is not valid. Answers 403 in a vault whose genesis names no RP id.',
  action: 'self',
  body: passkeyOptionsBody,
  response: passkeyOptions,
  example: {
    body: { enrollment_code: 'q1Wx5s0ZrQ9m7d3Kc2Va8Lh4' },
    response: {
      rp: { id: 'vault.example.com', name: 'Countersign' },
      origins: ['https://vault.example.com'],
      user: {
        id: USER_ID,
        handle: 'AQIDBAUGBwgJCgsMDQ4PEA',
        name: 'ada@example.com',
        display_name: 'Ada',
      },
      algorithms: [-8, -7, -257],
      user_verification: 'required',
      exclude_credentials: [],
    },
  },
});

export const registerPasskeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...registerPasskeyRequest,
  texts: registerPasskeyTexts,
  summary: 'Register a passkey of the caller',
  description:
    'The first passkey of a person needs a Bearer token, `enrollment`, and an assertion by the passkey itself. It binds the identity in the token to the user for good, and uses the code up. Further passkeys, at most 10, need an assertion by a passkey that the caller has. ' +
    'Answers 401 when token, code or assertion is not valid. Answers 409 when the passkey is registered already or there are too many. Answers 422 for a key of another kind, and for a passkey of another RP id or without user verification.',
  response: passkey,
  example: {
    body: {
      display_name: 'Key of my laptop',
      credential_id: PASSKEY_CREDENTIAL_ID,
      public_key: PASSKEY_PUBLIC_KEY,
      authenticator_data: PASSKEY_AUTHENTICATOR_DATA,
      enrollment: { user_id: USER_ID, proof: '5c'.repeat(32) },
    },
    response: passkeyExample,
  },
});

export const deletePasskeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...deletePasskeyRequest,
  summary: 'Remove a passkey of the caller',
  description:
    "The passkey signs nothing any more. Whatever of the caller's requests and approvals still waits no longer counts, whichever passkey signed it. Answers 404 when the caller has no such passkey. Answers 409 when it is the caller's last: whoever may manage users can reset passkeys (`reset_passkeys`).",
  response: deletedView,
  example: { response: { deleted: [passkeyExample.id] } },
});

export const PASSKEY_OPERATIONS = [
  passkeyOptionsOperation,
  registerPasskeyOperation,
  deletePasskeyOperation,
] as const;
