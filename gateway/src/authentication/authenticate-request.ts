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
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import { isRegistration } from '@countersign/vault/authentication/enrolment.js';
import { identityOfToken } from '@countersign/vault/authentication/token-identity.js';
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
  readonly tokens: TokenVerifier;
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
  const method = request.method ?? '';
  const known = await findTimelyCaller(deps, headers, { method, path: target.path });
  if (isRefusal(known)) return known;
  const body = await readBody(known);
  if (isRefusal(body)) return body;
  const evidence: Evidence = {
    method,
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

/** Whoever registers a passkey may be known by their token alone: by its identity they are counted. */
async function findTimelyCaller(
  deps: AuthenticationDeps,
  headers: Credential & SigningHeaders,
  target: Pick<Evidence, 'method' | 'path'>,
): Promise<{ readonly id: string } | Refusal> {
  const token = await refuseToken(deps, headers);
  if (token !== undefined) return token;
  const at = deps.now();
  const { scheme, credential } = headers;
  const newcomer =
    scheme === 'Bearer' && isRegistration(target) ? identityOfToken(credential) : undefined;
  const caller =
    newcomer === undefined
      ? findCaller(deps.state(), scheme, credential, at)
      : { id: newcomer.identity };
  return isRefusal(caller) ? caller : (refuseStale(headers.timestampMs, at) ?? caller);
}

/** Before anything is looked up by what a token says of itself. */
async function refuseToken(
  { tokens, now }: Pick<AuthenticationDeps, 'tokens' | 'now'>,
  { scheme, credential }: Credential,
): Promise<Refusal | undefined> {
  return scheme === 'Bearer' ? tokens.refuse(credential, now()) : undefined;
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
  const refusal = await refuseToken(deps, credential);
  if (refusal !== undefined) return refusal;
  const caller = findCaller(deps.state(), credential.scheme, credential.credential, deps.now());
  if (isRefusal(caller)) return caller;
  const body = await intake.readBody(caller);
  return isRefusal(body) ? body : { caller, body };
}

/** Somebody with a good token, who need not be a user yet. */
export async function admitToken(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  { readBody }: Intake,
): Promise<{ readonly token: string; readonly body: Buffer } | Refusal> {
  const duplicate = refuseDuplicateHeaders(request);
  if (duplicate !== undefined) return duplicate;
  const credential = parseCredential(request);
  if (isRefusal(credential)) return credential;
  const token = credential.scheme === 'Bearer' ? credential.credential : '';
  const refusal = await deps.tokens.refuse(token, deps.now());
  if (refusal !== undefined) return refusal;
  const body = await readBody({ id: identityOfToken(token)?.identity ?? '' });
  return isRefusal(body) ? body : { token, body };
}

/** A read that has to be signed like a write. */
export async function admitSignedRead(
  ...args: Parameters<typeof admitSigned>
): Promise<ReadAdmission | Refusal> {
  const admission = await admitSigned(...args);
  if (isRefusal(admission)) return admission;
  return { caller: admission.caller, body: asBuffer(admission.evidence.body) };
}
