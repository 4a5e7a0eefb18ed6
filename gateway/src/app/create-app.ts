/** The HTTP surface: every route, and the few steps that each request goes through. */
import { randomUUID } from 'node:crypto';
import express, { type Express, type Request, type Response } from 'express';
import { ApiError, isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import type { RequestTarget } from '@countersign/api/operation.js';
import { matchPath, type LedgerOperation } from '@countersign/vault/operations/operation.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { admitRead, admitSigned } from '../authentication/authenticate-request.js';
import type { GatewayDeps } from '../gateway-deps.js';
import { handleReadOperation } from '../reads/handle-read-operation.js';
import { READ_OPERATIONS } from './read-operations.js';
import type { ReadOperation } from '../reads/read-operation.js';
import { addExportAuditRoute } from '../audit/export-audit-route.js';
import { evaluateRoute } from '../reads/evaluate-route.js';
import type { Presence } from '../signing/presence.js';
import { handleSigningOperation } from '../signing/handle-signing-operation.js';
import { handleLedgerOperation } from '../writes/handle-ledger-operation.js';
import { sendError, sendRefusal, sendWrongContentType } from '../http/error-response.js';
import type { Answer, Exchange, SignedExchange } from '../authentication/exchange.js';
import { refuseMalformedHead } from '../http/message-head.js';
import { parseRawTarget } from '../http/raw-target.js';
import { hasBody, isPlainJson, readBody } from '../http/read-body.js';
import { sendJson } from '../http/send-json.js';
import { SERVICE_ROUTES, type ServiceContext } from '../service/service-routes.js';

export interface AppDeps extends GatewayDeps {
  readonly presence: Presence;
  readonly service: ServiceContext;
  /** Fixed documents by path: the API description and its reference page. */
  readonly documents: ReadonlyMap<
    string,
    { readonly contentType: string; body(): Promise<string | Buffer> }
  >;
}

/** Beyond this age of the last look at the database its answers would be guesses. */
const MAX_STALENESS_MS = 10_000;

export function createApp(deps: AppDeps): Express {
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', false);
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request, response, next) => {
    response.setHeader('x-request-id', randomUUID());
    const malformed = refuseMalformedHead(request);
    const target = parseRawTarget(request.originalUrl);
    if (malformed !== undefined) sendRefusal(response, malformed);
    else if (isRefusal(target)) sendRefusal(response, target);
    else if (!METHODS.has(request.method)) sendRefusal(response, NO_ROUTE);
    else next();
  });
  for (const operation of SIGNING_OPERATIONS) addSigning(app, deps, operation);
  for (const operation of LEDGER_OPERATIONS) addLedgerOperation(app, deps, operation);
  for (const operation of READ_OPERATIONS) addRead(app, deps, operation);
  addRead(app, deps, evaluateRoute);
  addExportAuditRoute(app, deps);
  addServiceRoutes(app, deps);
  app.use((_request: Request, response: Response) => sendRefusal(response, NO_ROUTE));
  app.use((error: unknown, _request: Request, response: Response, _next: () => void) =>
    sendError(response, error, deps.logger),
  );
  return app;
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const NO_ROUTE = refuse('not_found', 'no such route');

function addSigning(app: Express, deps: AppDeps, operation: SigningOperation): void {
  const options = { needsBody: true, foldRemembersNonces: false };
  addSigned(app, deps, operation, options, (exchange) =>
    handleSigningOperation(deps, operation, exchange),
  );
}

function addLedgerOperation(app: Express, deps: AppDeps, operation: LedgerOperation): void {
  const options = { needsBody: operation.bodyOptional !== true, foldRemembersNonces: true };
  addSigned(app, deps, operation, options, (exchange) =>
    handleLedgerOperation(deps, operation, exchange),
  );
}

function addSigned(
  app: Express,
  deps: AppDeps,
  route: RequestTarget,
  { needsBody, foldRemembersNonces }: { needsBody: boolean; foldRemembersNonces: boolean },
  handle: (exchange: SignedExchange) => Promise<Answer>,
): void {
  addRoute(app, route, async (request, response) => {
    if ((needsBody || hasBody(request)) && !isPlainJson(request)) {
      return sendWrongContentType(response);
    }
    const exchange = await readExchange(route, request, response);
    if (isRefusal(exchange)) return sendRefusal(response, exchange);
    refuseUnlessReady(deps);
    const authentication = { ...deps, foldRemembersNonces, state: () => deps.follower.state };
    const admission = await admitSigned(authentication, request, exchange.target, exchange.body);
    if (isRefusal(admission)) return sendRefusal(response, admission);
    sendAnswer(response, await handle({ ...exchange, ...admission }));
  });
}

function addRead(app: Express, deps: AppDeps, operation: ReadOperation): void {
  addRoute(app, operation, async (request, response) => {
    const isSigned = operation.authentication === 'signed';
    if (isSigned && !isPlainJson(request)) {
      return sendWrongContentType(response);
    }
    const exchange = await readExchange(operation, request, response);
    if (isRefusal(exchange)) return sendRefusal(response, exchange);
    refuseUnlessReady(deps);
    const authentication = { ...deps, state: () => deps.follower.state };
    const admit = isSigned ? admitSignedCaller : admitRead;
    const caller = await admit(authentication, request, exchange.target, exchange.body);
    if (isRefusal(caller)) return sendRefusal(response, caller);
    sendAnswer(response, await handleReadOperation(deps, operation, exchange, caller));
  });
}

async function admitSignedCaller(...args: Parameters<typeof admitSigned>) {
  const admission = await admitSigned(...args);
  return isRefusal(admission) ? admission : admission.caller;
}

function addServiceRoutes(app: Express, deps: AppDeps): void {
  for (const route of SERVICE_ROUTES) {
    addRoute(app, route, async (request, response) => {
      request.resume();
      const { status, body } = route.handle(deps.service);
      sendJson(response, status, body);
    });
  }
  for (const [path, document] of deps.documents) {
    addRoute(app, { method: 'GET', path }, async (request, response) => {
      request.resume();
      const body = await document.body();
      response.writeHead(200, {
        'content-type': document.contentType,
        'content-length': Buffer.byteLength(body),
        'content-security-policy': DOCUMENT_CSP,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      response.end(body);
    });
  }
}

/** The reference page styles itself inline; it loads nothing from anywhere but here. */
const DOCUMENT_CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

function addRoute(
  app: Express,
  { method, path }: RequestTarget,
  handle: (request: Request, response: Response) => Promise<void>,
): void {
  const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
  app[verb](template, handle);
}

/** Target and body. The parameters are taken from the raw path, as they were signed. */
async function readExchange(
  route: RequestTarget,
  request: Request,
  response: Response,
): Promise<Exchange | Refusal> {
  const target = parseRawTarget(request.originalUrl);
  if (isRefusal(target)) return target;
  const params = matchPath(route.path, target.path);
  if (params === undefined) return NO_ROUTE;
  const body = await readBody(request);
  if (isRefusal(body)) return body;
  return { request, response, target, body, params };
}

/** Before there is a genesis nobody may do anything; without the ledger nobody can be told anything. */
function refuseUnlessReady({ follower, now }: GatewayDeps): void {
  if (follower.state.genesisHash === '') {
    throw new ApiError('forbidden', 'the vault has no genesis yet: run countersign init');
  }
  if (now() - follower.confirmedAt > MAX_STALENESS_MS) {
    throw new ApiError('gateway_timeout', 'the ledger cannot be reached', { retryAfterS: 1 });
  }
}

function sendAnswer(response: Response, answer: Answer): void {
  if (isRefusal(answer)) return sendRefusal(response, answer);
  if (answer.status === 200) return sendJson(response, 200, answer.body);
  sendJson(response, 202, { status: 'processing', request_id: answer.requestId });
}
