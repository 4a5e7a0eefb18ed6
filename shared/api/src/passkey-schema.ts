import * as s from '@countersign/core/shapes.js';
import { dateTime, id } from './primitives.js';
import type { RequestTexts } from './request-texts.js';
import { machinePublicKey } from './requests/users.js';

export const registerPasskeyTexts: RequestTexts = {
  name: 'RegisterPasskeyRequest',
  body: {
    display_name: 'Name for people, for instance of the device: 1 to 128 characters. Absent: none.',
    credential_id:
      "The authenticator's name for the passkey, `rawId` of the browser's answer: 1 to 1,023 bytes, base64url without padding.",
    public_key:
      "What the browser's `getPublicKey()` gave: SubjectPublicKeyInfo (DER), base64url without padding. ES256, EdDSA, or RS256 with 2,048 to 4,096 bits.",
    authenticator_data:
      "What the browser's `getAuthenticatorData()` gave: base64url without padding. The RP id, user verification and the backup flags are read from it.",
    enrollment: [
      'Of the first passkey alone: that the enrolment code is known, for this key. The request is then signed by the passkey that it registers. Absent: the request is signed by a passkey that the user has already.',
      {
        user_id: 'The user who enrols, from the registration options.',
        proof:
          'HMAC-SHA-256, 64 lower-case hex characters. Key: SHA-256 over `countersign enrolment code v1` and the enrolment code; message: `countersign enrolment proof v1`, `credential_id` as text and the bytes of `public_key`, each after its length (4 bytes, little-endian). With a code that the administrator made (`enrollment_public_key`): the Ed25519 signature over the same message by the key whose seed the code is, 128 characters.',
      },
    ],
  },
};

export const passkey = s
  .strictObject({
    id: id.describe('Id of the credential.'),
    user_id: id.describe('Id of the user.'),
    display_name: s.string().nullable().describe('Name for people; null for none.'),
    credential_id: s.string().describe("The authenticator's name for it, base64url."),
    created_at: dateTime.describe('Since when it is valid; RFC 3339, UTC, milliseconds.'),
    backup_eligible: s
      .boolean()
      .describe('Whether it can be copied to other devices, as its authenticator said (flag BE).'),
    backed_up: s
      .boolean()
      .describe('Whether it was copied already when it was registered (flag BS).'),
  })
  .meta({ id: 'Passkey' });

export const passkeyOptionsBody = s
  .strictObject({
    enrollment_code: s
      .string()
      .regex(/^[A-Za-z0-9_-]{24}$/, 'must be 24 base64url characters')
      .optional()
      .describe(
        'The code that was shown when the user was created, or reset: for the first passkey. Absent: the caller has a passkey already and adds another, or has a code of the other kind.',
      ),
    enrollment_public_key: machinePublicKey
      .optional()
      .describe(
        'The public key of the code that the administrator made, which nobody else is told: 32 bytes, base64url without padding or hex. Absent: see `enrollment_code`.',
      ),
  })
  .meta({ id: 'PasskeyOptionsRequest' });

export const passkeyOptions = s
  .strictObject({
    rp: s
      .strictObject({
        id: s.string().describe('RP id: the domain that the passkeys of this vault belong to.'),
        name: s.string().describe('Name for people.'),
      })
      .describe('The relying party, which the genesis pins.'),
    origins: s.array(s.string()).describe('From where requests may be signed: any of these.'),
    user: s
      .strictObject({
        id: id.describe('Id of the user.'),
        handle: s
          .string()
          .describe("`user.id` for the browser: the 16 bytes of the user's id, base64url."),
        name: s.string().describe('Email address of the user.'),
        display_name: s.string().describe('Name for people.'),
      })
      .describe('The user of the new passkey.'),
    algorithms: s
      .array(s.number())
      .describe('COSE algorithms that are taken, the best first: -8 EdDSA, -7 ES256, -257 RS256.'),
    user_verification: s
      .literal('required')
      .describe('Every assertion needs the person to be verified by their device.'),
    exclude_credentials: s
      .array(s.string())
      .describe('Credential ids (base64url) of the passkeys that the user has.'),
  })
  .meta({ id: 'PasskeyOptions' });
