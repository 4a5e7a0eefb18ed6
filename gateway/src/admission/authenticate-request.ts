/**
 * Who is asking, and is it really them, now, for the first time. In this order: shape of the headers,
 * credential, how often it asks, timestamp, and only then the body is read, so that nobody unknown can make
 * this process hold one; assertion, and only then the nonce is burnt, so that nobody without the private key
 * can use up a caller's nonce. No signature is checked, of a token or a request, for whom too many have failed. A request
 * is one of those that its caller may make once it has proven to be the caller's, and not before.
 */
import type { IncomingMessage } from 'node:http';
import {
  authenticate,
  findCaller,
  refuseStale,
  WRONG_ASSERTION,
} from '@countersign/vault/authentication/authenticate.js';
import { asBuffer } from '@countersign/core/bytes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { openRequest } from '@countersign/vault/authentication/opened-request.js';
import { isEnrolled } from '@countersign/vault/state/passkey-owner.js';
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
import type { Visit } from './door.js';
import type { Attempt } from './attempt.js';
import { isBrake, type RateLimits } from './rate-limits.js';
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import { isRegistration } from '@countersign/vault/authentication/enrolment.js';
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/refused-credential.js';
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
  readonly limits: RateLimits;
  /** The request's effect is an entry, and the fold remembers the nonces of entries for good. */
  readonly foldRemembersNonces?: boolean;
  /** Asked once the body is here, before anything is checked that costs; absent: everybody is let in. */
  readonly enter?: ((credential: string) => Visit | Refusal) | undefined;
  readonly now: () => number;
}

/** A write: all four headers. Throws where there is no room for the body. */
export async function admitSigned(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  target: RawTarget,
  { readBody, nameRequest, source }: Intake,
): Promise<Admission | Refusal> {
  const headers = parseHeaders(request);
  if (isRefusal(headers)) return headers;
  const method = request.method ?? '';
  const asked = attemptOf(deps, headers, { method, path: target.path, source });
  const known = await findTimelyCaller(deps, headers, asked, { method, path: target.path });
  if (isRefusal(known)) return known;
  const body = await readBody({ id: known.id, isProven: deps.limits.isProven(asked.attempt) });
  if (isRefusal(body)) return body;
  const evidence: Evidence = {
    method,
    path: target.path,
    query: target.query,
    body,
    ...headers,
  };
  // nothing is waited for in there before the assertion was found right: who brings a wrong one is out again in the same turn
  const visit = deps.enter?.(headers.credential);
  if (isRefusal(visit)) return visit;
  try {
    return await admitEvidence(deps, { evidence, headers, attempt: asked.attempt }, nameRequest);
  } finally {
    visit?.leave();
  }
}

interface ReadRequest {
  readonly evidence: Evidence;
  readonly headers: Credential & SigningHeaders;
  readonly attempt: Attempt;
}

/** All of it once more: while the body came in the caller may have been frozen. */
async function admitEvidence(
  deps: AuthenticationDeps,
  { evidence, headers, attempt }: ReadRequest,
  nameRequest: Intake['nameRequest'],
): Promise<Admission | Refusal> {
  const now = deps.now();
  const opened = openRequest(evidence);
  nameRequest(opened.requestId);
  const failing = deps.limits.refuseFailing(attempt); // many bodies may have come at once
  if (failing !== undefined) return failing;
  const caller = authenticate(deps.state(), opened, { now, staleAt: now });
  if (caller === WRONG_ASSERTION) {
    if (headers.scheme !== 'Bearer') deps.limits.noteFailure(attempt); // a token's is noted already
    return refuseAssertion(evidence); // who knows the credential may be told what was read: they sent it
  }
  if (isRefusal(caller)) return caller;
  if (headers.scheme === 'Bearer') deps.limits.forgive(attempt);
  const no = await refuseSigned(deps, headers, attempt, now);
  return no ?? { caller, evidence, requestId: opened.requestId };
}

/** Of a right assertion: whether its caller asks too often, and whether it came before, from whoever saw it. */
async function refuseSigned(
  deps: AuthenticationDeps,
  headers: SigningHeaders,
  attempt: Attempt,
  now: number,
): Promise<Refusal | undefined> {
  const { limits } = deps;
  const tooOften = limits.refuseSigned(attempt);
  if (tooOften !== undefined) return tooOften;
  const replay = await claimNonce(deps, headers, now);
  if (replay !== undefined) {
    limits.noteReplay(attempt);
    return replay;
  }
  limits.noteProven(attempt);
  return undefined;
}

/** What a head is named by, and what an attempt of its caller is counted under. */
export interface NamedAttempt {
  readonly credential: string;
  readonly attempt: Attempt;
}

/**
 * Whom a machine's signed request names, where nothing that its head tells speaks against it; undefined for any other, and for
 * tokens, which take a check of their own. It counts nothing, and lets nobody in.
 */
export function nameByHead(
  { state, now }: Pick<AuthenticationDeps, 'state' | 'now'>,
  request: IncomingMessage,
  { path }: RawTarget,
  source: string,
): NamedAttempt | undefined {
  const headers = parseHeaders(request);
  if (isRefusal(headers) || headers.scheme !== 'ApiKey') return undefined;
  const method = request.method ?? '';
  const { attempt, caller } = attemptOf({ state, now }, headers, { method, path, source });
  if (isRefusal(caller) || refuseStale(headers.timestampMs, now()) !== undefined) return undefined;
  return { credential: headers.credential, attempt };
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

/** An attempt, and whom its credential names. */
interface AskedAttempt {
  readonly attempt: Attempt;
  readonly caller: User | Refusal;
}

/** Whom it speaks of, whether or not that is true. */
function attemptOf(
  { state, now }: Pick<AuthenticationDeps, 'state' | 'now'>,
  { scheme, credential }: Credential,
  { method, path, source }: { readonly method: string; readonly path: string; source: string },
): AskedAttempt {
  const caller = findCaller(state(), scheme, credential, now());
  const callerId = isRefusal(caller) ? undefined : caller.id;
  const attempt = {
    callerId,
    source,
    isBrake: callerId !== undefined && isBrake(method, path),
  };
  return { attempt, caller };
}

/** Whoever registers a passkey may be known by their token alone: by its identity they are counted. */
async function findTimelyCaller(
  deps: AuthenticationDeps,
  headers: Credential & SigningHeaders,
  { attempt, caller: named }: AskedAttempt,
  target: Pick<Evidence, 'method' | 'path'>,
): Promise<{ readonly id: string } | Refusal> {
  const { scheme, credential } = headers;
  // an API key that nobody has is told by its hash
  const no =
    scheme === 'ApiKey' && attempt.callerId === undefined
      ? undefined
      : (deps.limits.refuseAttempt(attempt) ?? (await refuseToken(deps, headers, attempt)));
  if (no !== undefined) return no;
  const newcomer =
    scheme === 'Bearer' && isRegistration(target) ? identityOfToken(credential) : undefined;
  const caller = newcomer === undefined ? named : { id: newcomer.identity };
  return isRefusal(caller) ? caller : (refuseStale(headers.timestampMs, deps.now()) ?? caller);
}

/**
 * Of a token whether its provider signed it, before it is believed in anything. Until its request has proven more it counts
 * as one that failed: many may be checked at once.
 */
async function refuseToken(
  { tokens, limits, now }: Pick<AuthenticationDeps, 'tokens' | 'limits' | 'now'>,
  { scheme, credential }: Credential,
  attempt: Attempt,
): Promise<Refusal | undefined> {
  if (scheme !== 'Bearer') return undefined;
  limits.noteFailure(attempt);
  const refusal = await tokens.refuse(credential, now());
  if (refusal !== undefined && refusal.refused !== 'unauthorized') limits.forgive(attempt);
  return refusal;
}

/** Of a request that proves nothing but its credential: what it may be asked for is read. */
async function refuseBearer(
  deps: AuthenticationDeps,
  credential: Credential,
  attempt: Attempt,
): Promise<Refusal | undefined> {
  const { limits } = deps;
  if (credential.scheme === 'Bearer') {
    const no = limits.refuseFailing(attempt) ?? (await refuseToken(deps, credential, attempt));
    if (no !== undefined) return no;
    limits.forgive(attempt);
  }
  return limits.refuseRead(attempt);
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
  const head = { method: 'GET', path: target.path, source: intake.source };
  const { attempt } = attemptOf(deps, credential, head);
  const refusal = await refuseBearer(deps, credential, attempt);
  if (refusal !== undefined) return refusal;
  const caller = findCaller(deps.state(), credential.scheme, credential.credential, deps.now());
  if (isRefusal(caller)) return caller;
  const body = await intake.readBody({ id: caller.id, isProven: deps.limits.isProven(attempt) });
  return isRefusal(body) ? body : { caller, body };
}

/** Somebody with a good token, who need not be a user yet. Who has a passkey and signs all the same is checked for that, too. */
export async function admitToken(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  target: RawTarget,
  intake: Intake,
): Promise<{ readonly token: string; readonly body: Buffer } | Refusal> {
  const { readBody, source } = intake;
  const duplicate = refuseDuplicateHeaders(request);
  if (duplicate !== undefined) return duplicate;
  const credential = parseCredential(request);
  if (isRefusal(credential)) return credential;
  if (credential.scheme !== 'Bearer') return refuse('unauthorized', INVALID_CREDENTIALS);
  const token = credential.credential;
  const known = findCaller(deps.state(), 'Bearer', token, deps.now());
  if (hasSigningHeaders(request) && !isRefusal(known) && isEnrolled(known)) {
    const signed = await admitSigned(deps, request, target, intake);
    return isRefusal(signed) ? signed : { token, body: asBuffer(signed.evidence.body) };
  }
  const { attempt } = attemptOf(deps, credential, { method: 'POST', path: '', source });
  const refusal = await refuseBearer(deps, credential, attempt);
  if (refusal !== undefined) return refusal;
  const body = await readBody({ id: identityOfToken(token)?.identity ?? '', isProven: false });
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
