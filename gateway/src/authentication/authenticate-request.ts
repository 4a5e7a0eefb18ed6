/**
 * Who is asking, and is it really them, now, for the first time. In this order: shape of the headers,
 * credential, timestamp, assertion, and only then the nonce is burnt, so that nobody without the private
 * key can use up a caller's nonce.
 */
import type { IncomingMessage } from 'node:http';
import {
  authenticate,
  findCaller,
  WRONG_ASSERTION,
} from '@countersign/vault/authentication/authenticate.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { openRequest } from '@countersign/vault/authentication/opened-request.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import type { RawTarget } from '../http/raw-target.js';
import { hasSigningHeaders, parseCredential, parseSigningHeaders } from './auth-headers.js';
import type { SigningHeaders } from './auth-headers.js';
import { refuseDuplicateHeaders } from './auth-headers.js';
import type { NonceStore } from './nonce-store.js';
import { refuseAssertion } from './refuse-assertion.js';

export interface Admission {
  readonly caller: User;
  readonly evidence: Evidence;
  readonly requestId: string;
}

export interface AuthenticationDeps {
  readonly state: () => VaultState;
  readonly nonces: NonceStore;
  /** The request's effect is an entry, and the fold remembers the nonces of entries for good. */
  readonly foldRemembersNonces?: boolean;
  readonly now: () => number;
}

/** A write: all four headers. */
export async function admitSigned(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  target: RawTarget,
  body: Buffer,
): Promise<Admission | Refusal> {
  const duplicate = refuseDuplicateHeaders(request);
  if (duplicate !== undefined) return duplicate;
  const credential = parseCredential(request);
  const signing = parseSigningHeaders(request);
  // a malformed header is told as such (400) even where the credential is no good either
  if (isRefusal(signing) && signing.refused === 'parse_error') return signing;
  if (isRefusal(credential)) return credential;
  if (isRefusal(signing)) return signing;
  const evidence: Evidence = {
    method: request.method ?? '',
    path: target.path,
    query: target.query,
    body,
    ...credential,
    ...signing,
  };
  const now = deps.now();
  const opened = openRequest(evidence);
  const caller = authenticate(deps.state(), opened, { now, staleAt: now });
  // who knows the credential may be told what was read: they sent it
  if (caller === WRONG_ASSERTION) return refuseAssertion(evidence);
  if (isRefusal(caller)) return caller;
  const replay = await claimNonce(deps, signing, now);
  return replay ?? { caller, evidence, requestId: opened.requestId };
}

/** Without Redis a request that the fold guards against replay goes on: freezing must always work. */
async function claimNonce(
  { nonces, foldRemembersNonces }: AuthenticationDeps,
  { nonce, timestampMs }: SigningHeaders,
  now: number,
): Promise<Refusal | undefined> {
  try {
    return await nonces.claim(nonce, timestampMs, now);
  } catch (error) {
    if (foldRemembersNonces !== true) throw error;
    return undefined;
  }
}

/** A read: the credential alone, unless the request carries signing headers all the same. */
export async function admitRead(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  target: RawTarget,
  body: Buffer,
): Promise<User | Refusal> {
  if (hasSigningHeaders(request)) {
    const admission = await admitSigned(deps, request, target, body);
    return isRefusal(admission) ? admission : admission.caller;
  }
  const duplicate = refuseDuplicateHeaders(request);
  if (duplicate !== undefined) return duplicate;
  const credential = parseCredential(request);
  if (isRefusal(credential)) return credential;
  return findCaller(deps.state(), credential.scheme, credential.credential, deps.now());
}
