/** The steps before a request is handled: its target, whether the vault can answer, who asks, and its body. */
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { ApiOperation } from '@countersign/api/operation.js';
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import { asBuffer } from '@countersign/core/bytes.js';
import { deny } from '@countersign/core/denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { openStages } from '@countersign/runtime/tracing/stage-clock.js';
import { matchPath } from '@countersign/vault/operations/operation-input.js';
import type { User } from '@countersign/vault/state/state.js';
import {
  admitRead,
  admitSigned,
  admitSignedRead,
  admitToken,
  nameByHead,
  type AuthenticationDeps,
  type NamedAttempt,
} from './authenticate-request.js';
import { refuseElsewhere } from './allowed-addresses.js';
import type { BarredAttempt, BarredRecorder, FrozenAttempts } from './barred-callers.js';
import type { Exchange, SignedExchange } from './exchange.js';
import { intakeOf } from './intake.js';
import type { NonceStore } from './nonce-store.js';
import type { BodyMemory } from '../http/body-memory.js';
import { refuseMalformedHead } from '../http/message-head.js';
import { parseRawTarget } from '../http/raw-target.js';
import { isPlainJson, refuseTooLarge } from '../http/read-body.js';
import { NO_ROUTE } from '../http/route.js';
import type { Visit } from './load-shedder.js';
import type { RateLimits } from './rate-limits.js';
import type { AddressOf, SourceOf } from './request-source.js';
import { ApiError } from '../http/public-error.js';

export interface AdmissionDeps {
  readonly follower: Pick<LedgerFollower, 'state' | 'confirmedMsAgo' | 'fault'>;
  readonly nonces: NonceStore;
  readonly tokens: TokenVerifier;
  readonly bodies: BodyMemory;
  readonly limits: RateLimits;
  readonly sourceOf: SourceOf;
  readonly addressOf: AddressOf;
  readonly refusals: BarredRecorder;
  readonly now: () => number;
}

/** A read whose caller is known. */
export interface ReadExchange extends Exchange {
  readonly caller: User;
}

/** Beyond this age of the last look at the database the vault's answers would be guesses. */
const MAX_STALENESS_MS = 10_000;

/** A route, with the id of its operation. */
export interface NamedTarget extends RequestTarget {
  readonly id: string;
}

/** How a route admits signed requests. */
export interface SignedIntake {
  readonly foldRemembersNonces: boolean;
  /** Decides who is let in when many come; without it everybody is. */
  readonly enter?: (credential: string, params: Exchange['params']) => Visit | Refusal;
}

/** Admits a request that changes something: it must be signed. Throws while the vault cannot answer. */
export async function admitWrite(
  deps: AdmissionDeps,
  route: NamedTarget,
  request: Request,
  response: Response,
  { foldRemembersNonces, enter }: SignedIntake,
): Promise<SignedExchange | Refusal> {
  const arrivedAt = deps.now();
  const stages = openStages();
  const place = findPlace(route, request, request.originalUrl);
  if (isRefusal(place)) return place;
  refuseUnlessReady(deps);
  const authentication = {
    ...authenticationOf(deps),
    frozenAttempts: frozenAttemptsAt(deps, route, place.params),
    foldRemembersNonces,
    enter: enter && ((credential: string) => enter(credential, place.params)),
  };
  const intake = intakeOf(deps, request, response);
  const admission = await admitSigned(authentication, request, place.target, intake);
  if (isRefusal(admission)) return admission;
  const body = asBuffer(admission.evidence.body);
  const exchange = { request, response, ...place, ...admission, body };
  const elsewhere = await refuseThere(deps, route, exchange);
  stages.end('auth');
  return elsewhere ?? { ...exchange, arrivedAt, stages };
}

/**
 * Does the same as {@link nameByHead} for a request of this route that Express has not seen yet. Undefined if the head
 * is refused for any reason.
 */
export function nameAtHead(
  deps: AdmissionDeps,
  route: RequestTarget,
  request: IncomingMessage,
): (NamedAttempt & Pick<Exchange, 'params'>) | undefined {
  if (refuseMalformedHead(request) !== undefined || !isPlainJson(request)) return undefined;
  const place = findPlace(route, request, request.url ?? '');
  if (isRefusal(place) || findUnready(deps) !== undefined) return undefined;
  const who = nameByHead(authenticationOf(deps), request, place.target, deps.sourceOf(request));
  return who && { ...who, params: place.params };
}

/** Admits a read by its credential alone, unless it is signed like a write. Throws while the vault cannot answer. */
export async function admitReader(
  deps: AdmissionDeps,
  operation: NamedTarget & Pick<ApiOperation, 'authentication'>,
  request: Request,
  response: Response,
): Promise<ReadExchange | Refusal> {
  const place = findPlace(operation, request, request.originalUrl);
  if (isRefusal(place)) return place;
  refuseUnlessReady(deps);
  const admit = operation.authentication === 'signed' ? admitSignedRead : admitRead;
  const intake = intakeOf(deps, request, response);
  const frozenAttempts = frozenAttemptsAt(deps, operation, place.params);
  const authentication = { ...authenticationOf(deps), frozenAttempts };
  const admission = await admit(authentication, request, place.target, intake);
  if (isRefusal(admission)) return admission;
  const exchange = { request, response, ...place, ...admission };
  return (await refuseThere(deps, operation, exchange)) ?? exchange;
}

/** 403, which is on record by then, for a known caller whose API key may not be used where the request comes from. */
async function refuseThere(
  deps: Pick<AdmissionDeps, 'addressOf' | 'refusals' | 'now'>,
  { id: action }: NamedTarget,
  { request, response, params, caller }: ReadExchange,
): Promise<Refusal | undefined> {
  const address = deps.addressOf(request);
  const refusal = refuseElsewhere(caller, address);
  if (refusal === undefined) return undefined;
  const attempt: BarredAttempt = {
    at: deps.now(),
    action,
    actorId: caller.id,
    requestId: String(response.getHeader('x-request-id')),
    ...targetsOf(params),
  };
  await deps.refusals.recordElsewhere(attempt, address ?? 'not known');
  return refusal;
}

/** A request of somebody who need not be a user yet. */
export interface NewcomerExchange extends Exchange {
  /** A valid token of a known provider. */
  readonly token: string;
}

/** Admits a request by its token alone. Throws while the vault cannot answer. */
export async function admitNewcomer(
  deps: AdmissionDeps,
  route: RequestTarget,
  request: Request,
  response: Response,
): Promise<NewcomerExchange | Refusal> {
  const place = findPlace(route, request, request.originalUrl);
  if (isRefusal(place)) return place;
  refuseUnlessReady(deps);
  const intake = intakeOf(deps, request, response);
  const admission = await admitToken(authenticationOf(deps), request, place.target, intake);
  return isRefusal(admission) ? admission : { request, response, ...place, ...admission };
}

function authenticationOf({
  follower,
  nonces,
  tokens,
  limits,
  now,
}: AdmissionDeps): AuthenticationDeps {
  return { state: () => follower.state, nonces, tokens, limits, now };
}

function frozenAttemptsAt(
  { refusals, now }: Pick<AdmissionDeps, 'refusals' | 'now'>,
  { id: action }: NamedTarget,
  params: Exchange['params'],
): FrozenAttempts {
  return {
    takes: (callerId) => refusals.takesFrozen(callerId),
    record: (actorId, requestId) =>
      refusals.recordFrozen({ at: now(), action, actorId, requestId, ...targetsOf(params) }),
  };
}

function targetsOf(params: Exchange['params']) {
  return {
    keyId: params['key_id'],
    vaultId: params['vault_id'],
    walletAddress: params['address'],
  };
}

/** Checks what the head says of target and body. The parameters are taken from the raw path, as they were signed. */
function findPlace(
  route: RequestTarget,
  request: IncomingMessage,
  rawTarget: string,
): Pick<Exchange, 'target' | 'params'> | Refusal {
  const target = parseRawTarget(rawTarget);
  if (isRefusal(target)) return target;
  const params = matchPath(route.path, target.path);
  return params === undefined ? NO_ROUTE : (refuseTooLarge(request) ?? { target, params });
}

/** Throws while the vault cannot answer. */
export function refuseUnlessReady(deps: Pick<AdmissionDeps, 'follower'>): void {
  const error = findUnready(deps);
  if (error !== undefined) throw error;
}

/** Before there is a genesis nobody may do anything; without the ledger no question can be answered. */
function findUnready({ follower }: Pick<AdmissionDeps, 'follower'>): ApiError | undefined {
  if (follower.state.genesisHash === '') return ApiError.from(deny('no_genesis'));
  if (follower.fault !== undefined || follower.confirmedMsAgo > MAX_STALENESS_MS) {
    return new ApiError('gateway_timeout', 'the ledger cannot be reached', { retryAfterS: 1 });
  }
  return undefined;
}
