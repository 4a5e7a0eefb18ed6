/** The HTTP surface: the steps before every route, and the answer if there is no route. */
import { randomUUID } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { sendEarlyRefusal } from './http/early-refusal.js';
import { refusalOf, sendError, sendRefusal } from './http/error-response.js';
import type { Surface } from './http/fast-server.js';
import { refuseMalformedHead } from './http/message-head.js';
import { parseRawTarget } from './http/raw-target.js';
import { NO_ROUTE, type Route } from './http/route.js';
import { refuseUnrouted } from './http/unrouted.js';
import { isBrake } from './admission/rate-limits.js';
import type { RequestTally, RouteTally } from './http/request-tally.js';
import { shedLoad, type ShedderRow } from './admission/shed-load.js';
import { routesOf, type RouteDeps } from './routes.js';

export type AppDeps = RouteDeps & {
  readonly logger: Logger;
  readonly tally: RequestTally;
  /** Addresses and networks of proxies that are believed about addresses. */
  readonly trustedProxies: readonly string[];
};

/** The whole API, not yet listening. */
export function createApp(deps: AppDeps): Surface {
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', false);
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', [...deps.trustedProxies]);
  app.use(checkHead);
  app.use(createTrafficCheck(deps));
  const rows: ShedderRow[] = [];
  const routes = routesOf(deps);
  for (const { shedder, ...route } of routes) {
    const counted = addRoute(app, route, deps);
    if (shedder !== undefined) rows.push({ route, shedder, counted });
  }
  app.use((request: Request, response: Response) => {
    const target = parseRawTarget(request.originalUrl);
    sendRefusal(response, isRefusal(target) ? target : refuseUnrouted(routes, target.path));
  });
  app.use((error: unknown, _request: Request, response: Response, _next: () => void) =>
    sendError(response, error, deps.logger),
  );
  return { app, listener: shedLoad(deps, rows, app) };
}

/** Connections on which the end of a request is unknown: what seems to follow may be part of its body. */
const CUT_OFF = new WeakSet<object>();

function isCutOff(socket: object): boolean {
  return CUT_OFF.has(socket);
}

function refuseAndCutOff(response: Response, refusal: Refusal): void {
  CUT_OFF.add(response.req.socket);
  response.setHeader('connection', 'close');
  sendRefusal(response, refusal);
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Gives every answer its id, and refuses malformed heads. */
function checkHead(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('x-request-id', randomUUID());
  const malformed = refuseMalformedHead(request);
  const target = parseRawTarget(request.originalUrl);
  if (isCutOff(request.socket)) request.socket.destroy();
  else if (malformed !== undefined) refuseAndCutOff(response, malformed);
  else if (isRefusal(target)) sendRefusal(response, target);
  else if (!METHODS.has(request.method)) sendRefusal(response, NO_ROUTE);
  else next();
}

/** A freeze is handled however many other requests come from its address. */
function createTrafficCheck({ limits, sourceOf }: Pick<AppDeps, 'limits' | 'sourceOf'>) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const refusal = isBrake(request.method, request.path)
      ? undefined
      : limits.refuseSource(sourceOf(request));
    if (refusal === undefined) next();
    else void sendEarlyRefusal(response, refusal);
  };
}

/** Returns the row that counts its answers. */
function addRoute(
  app: Express,
  { method, path, signs, handle }: Route,
  { tally, logger }: Pick<AppDeps, 'tally' | 'logger'>,
): RouteTally {
  const counted = tally.open({ method, path }, signs);
  const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
  app[verb](template, async (request: Request, response: Response) => {
    const startedAt = performance.now();
    try {
      await handle(request, response);
    } catch (error) {
      sendError(response, error, logger);
    }
    counted.note(response.statusCode, performance.now() - startedAt, refusalOf(response));
  });
  return counted;
}
