import type { PasskeyRegistration } from '@countersign/api/requests/passkeys.js';
import { parseBase64Url, toBase64 } from '@countersign/core/bytes.js';
import { deny } from '@countersign/core/fold-denials.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { readAuthenticatorFlags } from '@countersign/core/passkey-assertion.js';
import { passkeyAlgorithmOf } from '@countersign/core/passkey-key.js';
import type { Passkey, VaultState } from '../state/state.js';

export type NewPasskey = Omit<Passkey, 'id' | 'createdAt'>;

const NO_PEOPLE = deny('no_people');

/** 422 for a key of another kind, and for a passkey of another RP id or without user verification. */
export function readNewPasskey(
  { relyingParty }: Pick<VaultState, 'relyingParty'>,
  body: PasskeyRegistration,
): NewPasskey | Refusal {
  if (relyingParty === undefined) {
    return NO_PEOPLE;
  }
  const spki = parseBase64Url(body.public_key) ?? Buffer.alloc(0);
  const algorithm = passkeyAlgorithmOf(spki);
  if (algorithm === undefined) {
    return refuse(
      'invalid_inputs',
      'public_key: must be an ES256, EdDSA or RS256 (2048 to 4096 bits) key as SubjectPublicKeyInfo',
    );
  }
  const data = parseBase64Url(body.authenticator_data) ?? Buffer.alloc(0);
  const flags = readAuthenticatorFlags(relyingParty, data);
  if (flags === undefined) {
    return refuse(
      'invalid_inputs',
      `authenticator_data: must be of a passkey for ${relyingParty.rpId}, with user verification`,
    );
  }
  return {
    displayName: body.display_name ?? null,
    credentialId: body.credential_id,
    algorithm,
    publicKey: toBase64(spki),
    ...flags,
  };
}
