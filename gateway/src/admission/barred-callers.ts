/**
 * Requests of somebody who is known and may do nothing: a frozen or expired user. Whoever proves to be that user by a
 * right assertion is told that they have expired, and what a freeze stopped goes on record. Everybody else learns no
 * more than of an unknown credential.
 */
import type { IncomingMessage } from 'node:http';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import {
  callerKeyOf,
  ownerOfCredential,
  refuseStale,
} from '@countersign/vault/authentication/authenticate.js';
import { openRequest } from '@countersign/vault/authentication/opened-request.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import type { RawTarget } from '../http/raw-target.js';
import type { Credential, SigningHeaders } from './auth-headers.js';
import type { Intake } from './intake.js';
import type { RateLimits } from './rate-limits.js';

/** Where attempts of frozen callers go on record. */
export interface FrozenAttempts {
  /** Whether the next one would be written down: if not, nothing is spent on it. */
  takes(callerId: string): boolean;
  record(callerId: string, requestId: string): Promise<void>;
}

/** What a caller asked for who may not ask for anything, or not from there. */
export interface BarredAttempt {
  /** ms */
  readonly at: number;
  readonly action: string;
  readonly actorId: string;
  readonly requestId: string;
  readonly keyId?: string | undefined;
  readonly vaultId?: string | undefined;
  readonly walletAddress?: string | undefined;
}

/** Writes attempts of barred callers down, within bounds. */
export interface BarredRecorder {
  /** Whether the next attempt of a frozen caller would be written down. If not, it is counted as omitted. */
  takesFrozen(callerId: string): boolean;
  /** Of a frozen caller, by an assertion that is right. */
  recordFrozen(attempt: BarredAttempt): Promise<void>;
  /** Of an API key that may not be used from `address`. */
  recordElsewhere(attempt: BarredAttempt, address: string): Promise<void>;
}

export interface BarredDeps {
  readonly state: () => VaultState;
  readonly limits: RateLimits;
  readonly frozenAttempts?: FrozenAttempts | undefined;
  readonly now: () => number;
}

/** The user whom the credential names, if that user is frozen or expired. */
export function findBarred(
  state: VaultState,
  credential: Credential,
  now: number,
): User | undefined {
  const user = ownerOfCredential(state, credential);
  return user !== undefined && (user.frozen !== null || expiryOf(user, now) !== undefined)
    ? user
    : undefined;
}

/** What to answer instead of `generic`. It burns no nonce. */
export async function refuseBarred(
  deps: BarredDeps,
  user: User,
  generic: Refusal,
  request: {
    readonly message: IncomingMessage;
    readonly target: RawTarget;
    readonly headers: Credential & SigningHeaders;
    readonly intake: Intake;
  },
): Promise<Refusal> {
  const { state, limits, frozenAttempts, now } = deps;
  const { message, target, headers, intake } = request;
  const attempt = { callerId: user.id, source: intake.source, isBrake: false };
  const isFrozen = user.frozen !== null;
  if (isFrozen && frozenAttempts?.takes(user.id) !== true) return generic;
  if (refuseStale(headers.timestampMs, now()) ?? limits.refuseAttempt(attempt)) return generic;
  const body = await intake.readBody({ id: user.id, isProven: false });
  if (isRefusal(body)) return generic;
  const { path, query } = target;
  const evidence: Evidence = { method: message.method ?? '', path, query, body, ...headers };
  const { requestId, isSignedBy } = openRequest(evidence);
  if (limits.refuseFailing(attempt) !== undefined) return generic; // many bodies may have come at once
  if (!isSignedBy(callerKeyOf(state(), user))) {
    limits.noteFailure(attempt);
    return generic;
  }
  const tooOften = limits.refuseSigned(attempt);
  if (tooOften !== undefined) return tooOften;
  intake.nameRequest(requestId);
  if (!isFrozen) return refuse('unauthorized', expiredText(user, now()));
  await frozenAttempts?.record(user.id, requestId);
  return generic;
}

function expiryOf(user: User, now: number): number | undefined {
  if (user.type !== 'machine' || user.expiresAt === null) return undefined;
  return user.expiresAt <= now ? user.expiresAt : undefined;
}

function expiredText(user: User, now: number): string {
  const at = new Date(expiryOf(user, now) ?? now).toISOString();
  return `your user expired at ${at}: somebody with the right manage_users can give it a later expires_at`;
}
