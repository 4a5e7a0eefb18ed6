/**
 * Refuses requests for want of room by their heads alone, before Express, its routes and the body's reader do any work.
 * At twice capacity every other request is refused, on the same cores that sign.
 *
 * Nobody is let in here. A request that is not refused goes on to Express, and so does any that is not an ordinary one,
 * completely received. There everything is checked as if nobody had looked before.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { matchPath } from '@countersign/vault/operations/operation-input.js';
import { sendError, sendRefusal } from '../http/error-response.js';
import type { Listener } from '../http/fast-server.js';
import type { LoadShedder } from './load-shedder.js';
import type { RateLimits } from './rate-limits.js';
import type { SourceOf } from './request-source.js';
import type { RouteTally } from '../http/request-tally.js';

/** A route that has a shedder, and the row that counts its answers. */
export interface ShedderRow {
  readonly route: RequestTarget;
  readonly shedder: LoadShedder;
  readonly counted: Pick<RouteTally, 'note'>;
}

export interface DoorDeps {
  readonly limits: RateLimits;
  readonly sourceOf: SourceOf;
  readonly logger: Logger;
}

/** Handles requests before `next` does. */
export function shedLoad(deps: DoorDeps, rows: readonly ShedderRow[], next: Listener): Listener {
  return (request, response) => {
    const row = rows.find(({ route }) => isOf(route, request));
    if (row === undefined || !row.shedder.isCrowded()) return next(request, response);
    // most bodies follow their heads at once: they are here when all that was read is parsed
    setImmediate(() => {
      try {
        if (isOrdinary(request) && isTurnedAway(deps, row, request, response)) return;
      } catch (error) {
        return sendError(response, error, deps.logger);
      }
      next(request, response);
    });
  };
}

function isOf({ method, path }: ShedderRow['route'], { method: asked, url = '' }: IncomingMessage) {
  const end = url.indexOf('?');
  return asked === method && matchPath(path, end < 0 ? url : url.slice(0, end)) !== undefined;
}

/** Whether it has come whole, and its caller does not wait to be asked for the rest. */
function isOrdinary({ complete, headers }: IncomingMessage): boolean {
  return complete && headers.expect === undefined;
}

/** Whether it was answered here. If so, it is counted here as Express would have done. */
function isTurnedAway(
  { limits, sourceOf }: DoorDeps,
  { shedder, counted }: ShedderRow,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const startedAt = performance.now();
  response.setHeader('x-request-id', randomUUID());
  const away = shedder.refuseHead(request);
  if (away === undefined) return false;
  const ofSource = limits.refuseSource(sourceOf(request));
  const refusal = ofSource ?? limits.refuseAttempt(away.attempt) ?? away.refusal;
  sendRefusal(response, refusal);
  if (ofSource === undefined) {
    counted.note(response.statusCode, performance.now() - startedAt, refusal);
  }
  return true;
}
