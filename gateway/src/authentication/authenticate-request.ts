/**
 * Who is asking, and is it really them, now, for the first time. In this order: shape of the headers,
 * credential, timestamp, and only then the body is read, so that nobody unknown can make this process hold
 * one; assertion, and only then the nonce is burnt, so that nobody without the private key can use up a
 * caller's nonce.
 */
import type { IncomingMessage } from 'node:http';
import {
  authenticate,
  findCaller,
  refuseStale,
  WRONG_ASSERTION,
} from '@countersign/vault/authentication/authenticate.js';
import { asBuffer } from '@countersign/core/bytes.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { openRequest } from '@countersign/vault/authentication/opened-request.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import type { RawTarget } from '../http/raw-target.js';
import {
  hasSigningHeaders,
  parseCredential,
  parseSigningHeaders,
  refuseDuplicateHeaders,
  type Credential,
  type SigningHeaders,
} from './auth-headers.js';
import type { Intake } from './intake.js';
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

/** A write: all four headers. Throws where there is no room for the body. */
export async function admitSigned(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  target: RawTarget,
  { readBody, nameRequest }: Intake,
): Promise<Admission | Refusal> {
  const headers = parseHeaders(request);
  if (isRefusal(headers)) return headers;
  const known = findTimelyCaller(deps, headers);
  if (isRefusal(known)) return known;
  const body = await readBody(known);
  if (isRefusal(body)) return body;
  const evidence: Evidence = {
    method: request.method ?? '',
    path: target.path,
    query: target.query,
    body,
    ...headers,
  };
  // all of it once more: while the body came in the caller may have been frozen
  const now = deps.now();
  const opened = openRequest(evidence);
  nameRequest(opened.requestId);
  const caller = authenticate(deps.state(), opened, { now, staleAt: now });
  // who knows the credential may be told what was read: they sent it
  if (caller === WRONG_ASSERTION) return refuseAssertion(evidence);
  if (isRefusal(caller)) return caller;
  const replay = await claimNonce(deps, headers, now);
  return replay ?? { caller, evidence, requestId: opened.requestId };
}

function parseHeaders(request: IncomingMessage): (Credential & SigningHeaders) | Refusal {
  const duplicate = refuseDuplicateHeaders(request);
  if (duplicate !== undefined) return duplicate;
  const credential = parseCredential(request);
  const signing = parseSigningHeaders(request);
  // a malformed header is told as such (400) even where the credential is no good either
  if (isRefusal(signing) && signing.refused === 'parse_error') return signing;
  if (isRefusal(credential)) return credential;
  return isRefusal(signing) ? signing : { ...credential, ...signing };
}

function findTimelyCaller(
  { state, now }: AuthenticationDeps,
  { scheme, credential, timestampMs }: Credential & SigningHeaders,
): User | Refusal {
  const at = now();
  const caller = findCaller(state(), scheme, credential, at);
  return isRefusal(caller) ? caller : (refuseStale(timestampMs, at) ?? caller);
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

/** A read whose caller is known, with the body that came with it. */
export interface ReadAdmission {
  readonly caller: User;
  readonly body: Buffer;
}

/** A read: the credential alone, unless the request carries signing headers all the same. */
export async function admitRead(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  target: RawTarget,
  intake: Intake,
): Promise<ReadAdmission | Refusal> {
  if (hasSigningHeaders(request)) return admitSignedRead(deps, request, target, intake);
  const duplicate = refuseDuplicateHeaders(request);
  if (duplicate !== undefined) return duplicate;
  const credential = parseCredential(request);
  if (isRefusal(credential)) return credential;
  const caller = findCaller(deps.state(), credential.scheme, credential.credential, deps.now());
  if (isRefusal(caller)) return caller;
  const body = await intake.readBody(caller);
  return isRefusal(body) ? body : { caller, body };
}

/** A read that has to be signed like a write. */
export async function admitSignedRead(
  ...args: Parameters<typeof admitSigned>
): Promise<ReadAdmission | Refusal> {
  const admission = await admitSigned(...args);
  if (isRefusal(admission)) return admission;
  return { caller: admission.caller, body: asBuffer(admission.evidence.body) };
}
