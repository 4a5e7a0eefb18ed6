/**
 * Checks who is asking: is it really them, now, and for the first time?
 *
 * Header form, credential, rate and timestamp are checked before the body is read, so that no stranger can make this
 * process hold one. The assertion is checked before the nonce is burnt, so that nobody without the private key can use
 * up a caller's nonce. After too many failures no further signature is checked, of a token or a request. A request
 * counts against its caller's rate only once it has proven to be theirs.
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
import { findBarred, refuseBarred, type FrozenAttempts } from './barred-callers.js';
import type { Intake } from './intake.js';
import type { Visit } from './load-shedder.js';
import type { Attempt } from './attempt.js';
import { isBrake, type RateLimits } from './rate-limits.js';
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import { isRegistration } from '@countersign/vault/authentication/enrolment.js';
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/refused-credential.js';
import { identityOfToken } from '@countersign/vault/authentication/token-identity.js';
import type { NonceStore } from './nonce-store.js';
import { refuseAssertion } from './refuse-assertion.js';
import { explainStale } from './stale-timestamp.js';

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
  /** Whether the request's effect is an entry: the fold remembers the nonces of entries for good. */
  readonly foldRemembersNonces?: boolean;
  /** Called once the body is here, before any costly check; if absent, everybody is let in. */
  readonly enter?: ((credential: string) => Visit | Refusal) | undefined;
  /** If absent, what a freeze of its caller stopped is not written down. */
  readonly frozenAttempts?: FrozenAttempts | undefined;
  readonly now: () => number;
}

/** Admits a write, which has all four headers. Throws if there is no room for the body. */
export async function admitSigned(
  deps: AuthenticationDeps,
  request: IncomingMessage,
  target: RawTarget,
  intake: Intake,
): Promise<Admission | Refusal> {
  const { readBody, nameRequest, source } = intake;
  const headers = parseHeaders(request);
  if (isRefusal(headers)) return headers;
  const method = request.method ?? '';
  const asked = attemptOf(deps, headers, { method, path: target.path, source });
  const known = await findTimelyCaller(deps, headers, asked, { method, path: target.path });
  if (isRefusal(known)) {
    const barred =
      known === asked.caller ? findBarred(deps.state(), headers, deps.now()) : undefined;
    return barred === undefined
      ? explainStale(known, String(request.headers['x-request-timestamp']), deps.now())
      : refuseBarred(deps, barred, known, { message: request, target, headers, intake });
  }
  const body = await readBody({ id: known.id, isProven: deps.limits.isProven(asked.attempt) });
  if (isRefusal(body)) return body;
  const evidence: Evidence = {
    method,
    path: target.path,
    query: target.query,
    body,
    ...headers,
  };
  // nothing is awaited in there before the assertion was found right: a wrong one leaves in the same turn
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

/** Checks everything once more: the caller may have been frozen while the body came. */
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

/**
 * For a request with a right assertion: whether its caller asks too often, and whether it came before, from anybody.
 */
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

/** How a head names its caller, and what an attempt of that caller is counted under. */
export interface NamedAttempt {
  readonly credential: string;
  readonly attempt: Attempt;
}

/**
 * The caller whom a machine's signed request names, if nothing in its head speaks against it. Undefined for any other,
 * and for tokens, which need a check of their own. It counts nothing, and lets nobody in.
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
  // a malformed header is answered with 400 even if the credential is wrong too
  if (isRefusal(signing) && signing.refused === 'parse_error') return signing;
  if (isRefusal(credential)) return credential;
  return isRefusal(signing) ? signing : { ...credential, ...signing };
}

/** An attempt, and whom its credential names. */
interface AskedAttempt {
  readonly attempt: Attempt;
  readonly caller: User | Refusal;
}

/** The caller whom it names, whether or not that is true. */
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

/** A user who registers a passkey may be known by their token alone: they are counted by its identity. */
async function findTimelyCaller(
  deps: AuthenticationDeps,
  headers: Credential & SigningHeaders,
  { attempt, caller: named }: AskedAttempt,
  target: Pick<Evidence, 'method' | 'path'>,
): Promise<{ readonly id: string } | Refusal> {
  const { scheme, credential } = headers;
  // an API key that nobody has is refused by its hash alone
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
 * Checks that a token is signed by its provider before anything in it is believed. Until its request has proven more it
 * counts as failed: many may be checked at once.
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

/** Limits a request that proves nothing but its credential: it may only read. */
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

/** Without Redis, a request that the fold guards against replay goes on: freezing must always work. */
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

/** Admits a read by its credential alone, unless it carries signing headers although it need not. */
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

/**
 * Admits somebody with a valid token, who need not be a user yet. A user with a passkey who signs anyway is checked for
 * that, too.
 */
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

/** Admits a read that has to be signed like a write. */
export async function admitSignedRead(
  ...args: Parameters<typeof admitSigned>
): Promise<ReadAdmission | Refusal> {
  const admission = await admitSigned(...args);
  if (isRefusal(admission)) return admission;
  return { caller: admission.caller, body: asBuffer(admission.evidence.body) };
}
