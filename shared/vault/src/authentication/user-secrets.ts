/**
 * API keys and enrolment codes are not stored anywhere, not even sealed: each is derived from the
 * ledger entry that made it and the evidence key. The state keeps its SHA-256 alone.
 */
import { enrollmentCodeSha256 } from '@countersign/core/enrolment-proof.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { HumanUser } from '../state/state.js';

type SecretSource = { secret(label: string): Buffer };

const API_KEY = 'api key';
const ENROLLMENT_CODE = 'enrolment code';

export function apiKeyOf(source: SecretSource): string {
  return uuidFromHash(source.secret(API_KEY));
}

export function enrollmentCodeOf(source: SecretSource): string {
  return source.secret(ENROLLMENT_CODE).subarray(0, 18).toString('base64url');
}

export function apiKeySha256(apiKey: string): string {
  // one text, since every request is looked up by it, and a text cannot be wiped anyway
  return sha256(`countersign api key v1${apiKey}`).toString('hex');
}

/** How long a person has to enrol, ms: it lasts over a weekend. */
export const ENROLLMENT_LIFE_MS = 72 * 3_600_000;

export type Enrollment = Pick<
  HumanUser,
  'enrollmentCodeSha256' | 'enrollmentUntil' | 'enrollmentKey'
>;

/** What the state keeps of a code. If whoever asks made the code, it is known by its key (base64) alone. */
export function newEnrollment(
  context: SecretSource & { readonly at: number },
  enrollmentKey: string | undefined,
): Enrollment {
  const enrollmentUntil = context.at + ENROLLMENT_LIFE_MS;
  const code = enrollmentCodeSha256(enrollmentKey ?? enrollmentCodeOf(context));
  const kept = enrollmentKey === undefined ? {} : { enrollmentKey };
  return { enrollmentCodeSha256: code, enrollmentUntil, ...kept };
}
