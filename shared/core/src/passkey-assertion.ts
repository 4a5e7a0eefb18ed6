/**
 * A person's signature of a request: a WebAuthn assertion whose challenge is the digest that machines sign (W3C Web
 * Authentication Level 3, section 7.2). Every node checks it, the fold among them. So all of this is pure and
 * synchronous, and every node verifies with the same library at the same version.
 *
 * The signature counter is ignored. A passkey that is synced between devices does not count (always 0), and
 * remembering the counter would write the state for every request. A captured assertion is good for one digest alone,
 * and the nonce and timestamp in that digest keep it from being used twice.
 */
import { p256 } from '@noble/curves/nist.js';
import * as s from './shapes.js';
import { asBuffer, parseBase64, parseBase64Url, toHex, type Bytes } from './bytes.js';
import { verifyEd25519 } from './ed25519.js';
import { sha256 } from './hash.js';
import { rawKeyOf } from './passkey-key.js';
import type {
  PasskeyAssertion,
  PasskeyKey,
  PasskeyVerifier,
  RelyingParty,
} from './passkey-types.js';
import { verifyRsa } from './verify-rsa.js';

export type * from './passkey-types.js';

/** Bytes of the flags (section 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED = 0x40;
const EXTENDED = 0x80;
/** Hash of the RP id, flags, counter: nothing else unless a flag says so. */
const PLAIN_DATA_BYTES = 37;

/** `AuthenticationResponseJSON` (section 5.1), which a browser's `toJSON()` gives; other fields are ignored. */
const responseSchema = s.object({
  id: s.string(),
  response: s.object({
    authenticatorData: s.string(),
    clientDataJSON: s.string(),
    signature: s.string(),
    userHandle: s.string().nullable().optional(),
  }),
});

const clientDataSchema = s.object({
  type: s.literal('webauthn.get'),
  challenge: s.string(),
  origin: s.string(),
  /** Present only if the page stood in a frame of another origin. */
  crossOrigin: s.literal(false).optional(),
  topOrigin: s
    .unknown()
    .refine((value) => value === undefined, 'must be absent')
    .optional(),
});

/** Undefined for bytes that are no assertion. */
export function parsePasskeyAssertion(bytes: Bytes): PasskeyAssertion | undefined {
  const parsed = responseSchema.read(parseJson(bytes));
  if ('issues' in parsed) return undefined;
  const { id, response } = parsed.value;
  const [authenticatorData, clientDataJson, signature] = [
    response.authenticatorData,
    response.clientDataJSON,
    response.signature,
  ].map(parseBase64Url);
  if (!authenticatorData || !clientDataJson || !signature) return undefined;
  const userHandle = response.userHandle ?? undefined;
  return { credentialId: id, authenticatorData, clientDataJson, signature, userHandle };
}

/** Whether one of the person's passkeys signed this digest (32 bytes), with the person verified by their device. */
export function isPasskeyAssertion(
  { relyingParty, userHandle, passkeys }: PasskeyVerifier,
  digest: Bytes,
  assertionBytes: Bytes,
): boolean {
  const assertion = parsePasskeyAssertion(assertionBytes);
  if (assertion === undefined) return false;
  const passkey = passkeys.find(({ credentialId }) => credentialId === assertion.credentialId);
  if (passkey === undefined) return false;
  if (assertion.userHandle !== undefined && assertion.userHandle !== userHandle) return false;
  return (
    isClientData(relyingParty, digest, assertion.clientDataJson) &&
    isAuthenticatorData(relyingParty, passkey, assertion.authenticatorData) &&
    isSignature(passkey, assertion)
  );
}

/** The flags of authenticator data from a passkey of this vault; undefined for any other. */
export function readAuthenticatorFlags(
  { rpId }: RelyingParty,
  data: Bytes,
): { readonly backupEligible: boolean; readonly backedUp: boolean } | undefined {
  const flags = data[32];
  if (data.length < PLAIN_DATA_BYTES || flags === undefined) return undefined;
  if (toHex(data.subarray(0, 32)) !== toHex(sha256(rpId))) return undefined;
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return undefined;
  const isPlain = (flags & (ATTESTED | EXTENDED)) === 0;
  if (isPlain && data.length !== PLAIN_DATA_BYTES) return undefined;
  const backupEligible = (flags & BACKUP_ELIGIBLE) !== 0;
  const backedUp = (flags & BACKED_UP) !== 0;
  return backedUp && !backupEligible ? undefined : { backupEligible, backedUp };
}

function isAuthenticatorData(rp: RelyingParty, passkey: PasskeyKey, data: Bytes): boolean {
  return readAuthenticatorFlags(rp, data)?.backupEligible === passkey.backupEligible;
}

function isClientData({ origins }: RelyingParty, digest: Bytes, bytes: Bytes): boolean {
  const parsed = clientDataSchema.read(parseJson(bytes));
  return (
    'value' in parsed &&
    parsed.value.challenge === asBuffer(digest).toString('base64url') &&
    origins.includes(parsed.value.origin)
  );
}

function isSignature(
  { algorithm, publicKey }: PasskeyKey,
  { authenticatorData, clientDataJson, signature }: PasskeyAssertion,
): boolean {
  const spki = parseBase64(publicKey);
  if (spki === undefined) return false;
  const message = Buffer.concat([authenticatorData, sha256(clientDataJson)]);
  if (algorithm === 'eddsa') return verifyEd25519(rawKeyOf(algorithm, spki), message, signature);
  if (algorithm === 'rs256') return verifyRsa('rsa_pkcs1_sha256', spki, message, signature);
  return isEs256Signature(rawKeyOf(algorithm, spki), message, signature);
}

/** DER in its one form. Authenticators do not ensure a low S, so a high one is accepted. */
function isEs256Signature(point: Bytes, message: Bytes, signature: Bytes): boolean {
  try {
    return p256.verify(signature, message, point, { format: 'der', lowS: false, prehash: true });
  } catch {
    return false;
  }
}

function parseJson(bytes: Bytes): unknown {
  try {
    return JSON.parse(asBuffer(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
