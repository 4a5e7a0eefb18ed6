/** Why requests are refused, in a few words of this program: they label metrics, so no caller's text is among them. */
import type { Refusal } from '@countersign/core/errors.js';
import { refusalWord, type RefusalWord } from '@countersign/vault/policy/refusal-word.js';

/** `too_often`: 504 for a rate limit. `other`: 415. */
export type RefusalReason = RefusalWord | 'too_often' | 'other';

/** A missing refusal means that what was sent has its own form (a malformed content type). */
export function reasonOf(refusal: Refusal | undefined): RefusalReason {
  if (refusal === undefined) return 'other';
  return refusal.tooOftenForS === undefined ? refusalWord(refusal) : 'too_often';
}

/** For 401: which part of the authentication did not hold. */
export const AUTHENTICATION_FAULTS = ['credential', 'timestamp', 'assertion', 'replay'] as const;
export type AuthenticationFault = (typeof AUTHENTICATION_FAULTS)[number];

export function authenticationFaultOf(message: string): AuthenticationFault {
  if (message.startsWith('x-request-assertion ')) return 'assertion';
  if (message.startsWith('x-request-timestamp ')) return 'timestamp';
  return /^the (nonce|request) was used before$/.test(message) ? 'replay' : 'credential';
}
