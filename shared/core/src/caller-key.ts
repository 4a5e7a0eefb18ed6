/** Checks a caller's assertion: by a machine's key, or a person's passkeys. */
import type { Bytes } from './bytes.js';
import { verifyEd25519 } from './ed25519.js';
import { isPasskeyAssertion, type PasskeyVerifier } from './passkey-assertion.js';

export type CallerKey =
  /** Ed25519, 32 bytes. */
  | { readonly kind: 'ed25519'; readonly publicKey: Bytes }
  | { readonly kind: 'passkeys'; readonly verifier: PasskeyVerifier };

/** `digest`: of the transcript, 32 bytes; `assertion`: the decoded header. */
export function isAsserted(key: CallerKey, digest: Bytes, assertion: Bytes): boolean {
  return key.kind === 'ed25519'
    ? verifyEd25519(key.publicKey, digest, assertion)
    : isPasskeyAssertion(key.verifier, digest, assertion);
}
