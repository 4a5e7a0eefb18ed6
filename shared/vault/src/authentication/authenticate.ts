/**
 * Who is asking. The gateway runs this on the request, the fold on each entry, and both parties on
 * each signing job: the same function over the same bytes.
 */
import { parseBase64 } from '@countersign/core/bytes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { MachineUser, VaultState } from '../state/state.js';
import type { OpenedRequest } from './opened-request.js';
import { apiKeySha256 } from './user-secrets.js';

export const TIMESTAMP_WINDOW_MS = 5 * 60_000;

/** One text for every credential failure: it tells nothing about which part was wrong. */
export const INVALID_CREDENTIALS = 'the credentials are not valid';

/** What {@link authenticate} gives where the credential is a known caller's and only the assertion fails. */
export const WRONG_ASSERTION = refuse('unauthorized', INVALID_CREDENTIALS);

/** The caller, without the assertion having been checked: enough for reads. `now` in ms. */
export function findCaller(
  state: VaultState,
  scheme: Evidence['scheme'],
  credential: string,
  now: number,
): MachineUser | Refusal {
  // people sign with passkeys, which this release does not have: every Bearer credential is unknown
  if (scheme !== 'ApiKey') return refuse('unauthorized', INVALID_CREDENTIALS);
  const userId = state.users.indexes.byApiKey.get(apiKeySha256(credential));
  const user = state.users.rows.get(userId ?? '');
  if (user === undefined || user.type !== 'machine') {
    return refuse('unauthorized', INVALID_CREDENTIALS);
  }
  if (user.frozen !== null || (user.expiresAt !== null && user.expiresAt <= now)) {
    return refuse('unauthorized', INVALID_CREDENTIALS);
  }
  return user;
}

export function refuseStale(timestampMs: number, now: number): Refusal | undefined {
  return Math.abs(now - timestampMs) <= TIMESTAMP_WINDOW_MS
    ? undefined
    : refuse(
        'unauthorized',
        'x-request-timestamp is more than 5 minutes from the time of this server: check your clock',
      );
}

/**
 * Credential, then timestamp, then assertion; replay is the caller's to check. `now` (ms) tells whether the
 * caller has expired; `staleAt` (ms) whether the request is stale: undefined where no request is.
 */
export function authenticate(
  state: VaultState,
  { evidence, isSignedBy }: Pick<OpenedRequest, 'evidence' | 'isSignedBy'>,
  { now, staleAt }: { readonly now: number; readonly staleAt: number | undefined },
): MachineUser | Refusal {
  const user = findCaller(state, evidence.scheme, evidence.credential, now);
  if ('refused' in user) return user;
  const stale = staleAt === undefined ? undefined : refuseStale(evidence.timestampMs, staleAt);
  if (stale !== undefined) return stale;
  return isSignedBy(publicKeyOf(user)) ? user : WRONG_ASSERTION;
}

export function publicKeyOf(user: MachineUser): Buffer {
  const key = parseBase64(user.publicKey);
  if (key === undefined) throw new Error(`user ${user.id} has a malformed public key`);
  return key;
}
