/**
 * Refusals of requests that would be refused for want of room in any case, told by their heads alone: before Express, its
 * routes and the body's reader have done anything for them. At twice capacity every other request is refused, on the cores
 * that sign.
 *
 * Nobody is let in here. Who is not refused, and whose request is anything but an ordinary one that has come whole, goes on to
 * Express, where all is looked at as if nobody had looked before.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { matchPath } from '@countersign/vault/operations/operation-input.js';
import { sendError, sendRefusal } from '../http/error-response.js';
import type { Listener } from '../http/fast-server.js';
import type { Door } from './door.js';
import type { RateLimits } from './rate-limits.js';
import type { SourceOf } from './request-source.js';
import type { RouteTally } from '../http/request-tally.js';

/** A route that has a door, and where its answers are counted. */
export interface DoorRow {
  readonly route: RequestTarget;
  readonly door: Door;
  readonly counted: Pick<RouteTally, 'note'>;
}

export interface DoorDeps {
  readonly limits: RateLimits;
  readonly sourceOf: SourceOf;
  readonly logger: Logger;
}

/** Takes requests before `next` does. */
export function openDoors(deps: DoorDeps, rows: readonly DoorRow[], next: Listener): Listener {
  return (request, response) => {
    const row = rows.find(({ route }) => isOf(route, request));
    if (row === undefined || !row.door.isCrowded()) return next(request, response);
    // most bodies stand right behind their heads: once all that was read is parsed they are here
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

function isOf({ method, path }: DoorRow['route'], { method: asked, url = '' }: IncomingMessage) {
  const end = url.indexOf('?');
  return asked === method && matchPath(path, end < 0 ? url : url.slice(0, end)) !== undefined;
}

/** It has come whole, and nobody waits to be asked for the rest. */
function isOrdinary({ complete, headers }: IncomingMessage): boolean {
  return complete && headers.expect === undefined;
}

/** Whether it was answered. What Express would have counted of it is counted here. */
function isTurnedAway(
  { limits, sourceOf }: DoorDeps,
  { door, counted }: DoorRow,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const startedAt = performance.now();
  response.setHeader('x-request-id', randomUUID());
  const away = door.refuseHead(request);
  if (away === undefined) return false;
  const ofSource = limits.refuseSource(sourceOf(request));
  const refusal = ofSource ?? limits.refuseAttempt(away.attempt) ?? away.refusal;
  sendRefusal(response, refusal);
  if (ofSource === undefined) {
    counted.note(response.statusCode, performance.now() - startedAt, refusal);
  }
  return true;
}
