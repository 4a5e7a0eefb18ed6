/**
 * API keys and enrolment codes are not stored anywhere, not even sealed: each is derived from the
 * ledger entry that made it and the evidence key. The state keeps its SHA-256 alone.
 */
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { UserSecrets } from '../views/user-view.js';

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
  // one text: every request is looked up by it, and a text cannot be wiped anyway
  return sha256(`countersign api key v1${apiKey}`).toString('hex');
}

export function createdSecrets(source: SecretSource): Required<UserSecrets> {
  return { apiKey: apiKeyOf(source), enrollmentCode: enrollmentCodeOf(source) };
}
