/**
 * Finds out who is asking. The gateway runs this on the request, the fold on each entry, and both parties on each
 * signing job: the same function over the same bytes.
 */
import { parseBase64 } from '@countersign/core/bytes.js';
import type { CallerKey } from '@countersign/core/caller-key.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { passkeysOf, verifierOf } from '../state/passkey-owner.js';
import type { User, VaultState } from '../state/state.js';
import { findEnrolling, type Signer } from './enrolment.js';
import type { OpenedRequest } from './opened-request.js';
import { INVALID_CREDENTIALS } from './refused-credential.js';
import { identityOfToken } from './token-identity.js';
import { apiKeySha256 } from './user-secrets.js';

export const TIMESTAMP_WINDOW_MS = 5 * 60_000;

/** {@link authenticate} returns this when the credential is a known caller's and only the assertion fails. */
export const WRONG_ASSERTION = refuse('unauthorized', INVALID_CREDENTIALS);

/**
 * Finds the caller without checking the assertion, which is enough for reads. `now` in ms. It does not look at whether
 * a token is the provider's own: see `identityOfToken`.
 */
export function findCaller(
  state: VaultState,
  scheme: Evidence['scheme'],
  credential: string,
  now: number,
): User | Refusal {
  const user = ownerOfCredential(state, { scheme, credential });
  if (user === undefined || user.frozen !== null) {
    return refuse('unauthorized', INVALID_CREDENTIALS);
  }
  const isOver = user.type === 'machine' && user.expiresAt !== null && user.expiresAt <= now;
  return isOver ? refuse('unauthorized', INVALID_CREDENTIALS) : user;
}

/** The credential's owner, even if they may not use it now. Undefined for a user who is gone. */
export function ownerOfCredential(
  { users }: VaultState,
  { scheme, credential }: Pick<Evidence, 'scheme' | 'credential'>,
): User | undefined {
  const { rows, indexes } = users;
  const id =
    scheme === 'ApiKey'
      ? indexes.byApiKey.get(apiKeySha256(credential))
      : indexes.byIdentity.get(identityOfToken(credential)?.identity ?? '');
  return rows.get(id ?? '');
}

export function refuseStale(timestampMs: number, now: number): Refusal | undefined {
  return Math.abs(now - timestampMs) <= TIMESTAMP_WINDOW_MS ? undefined : STALE;
}

export const STALE = refuse(
  'unauthorized',
  'x-request-timestamp is more than 5 minutes from the time of this server: check your clock',
);

/**
 * Checks the credential, then the timestamp, then the assertion; the caller checks for replay. `now` (ms) decides
 * whether the user has expired. `staleAt` (ms) decides whether the request is stale; if undefined, none is.
 */
export function authenticate(
  state: VaultState,
  { evidence, isSignedBy }: Pick<OpenedRequest, 'evidence' | 'isSignedBy'>,
  { now, staleAt }: { readonly now: number; readonly staleAt: number | undefined },
): User | Refusal {
  const known = findEnrolling(state, evidence, now) ?? findSigner(state, evidence, now);
  if (isRefusal(known)) return known;
  const stale = staleAt === undefined ? undefined : refuseStale(evidence.timestampMs, staleAt);
  if (stale !== undefined) return stale;
  return isSignedBy(known.key) ? known.user : WRONG_ASSERTION;
}

function findSigner(
  state: VaultState,
  { scheme, credential }: Evidence,
  now: number,
): Signer | Refusal {
  const user = findCaller(state, scheme, credential, now);
  return isRefusal(user) ? user : { user, key: callerKeyOf(state, user) };
}

/** A person without passkeys, or in a vault that takes none, has no good assertion. */
export function callerKeyOf(state: VaultState, user: User): CallerKey {
  if (user.type === 'human') {
    return { kind: 'passkeys', verifier: verifierOf(state, user.id, passkeysOf(user)) };
  }
  const publicKey = parseBase64(user.publicKey);
  if (publicKey === undefined) throw new Error(`user ${user.id} has a malformed public key`);
  return { kind: 'ed25519', publicKey };
}
