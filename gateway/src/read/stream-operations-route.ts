/**
 * Sends the figures as server-sent events. The number of streams, their duration and what waits in each are bounded.
 */
import type { Request, Response } from 'express';
import { streamSystemOperationsOperation } from '@countersign/api/operations/system-operations.js';
import { parseQuery } from '@countersign/api/query-string.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { User } from '@countersign/vault/state/state.js';
import { admitReader, type AdmissionDeps, type ReadExchange } from '../admission/admission.js';
import { sendEarlyRefusal } from '../http/early-refusal.js';
import { sendRefusal } from '../http/error-response.js';
import type { Route } from '../http/route.js';
import { readContext, refuseRead, refuseReader, type ReadDeps } from './handle-read-operation.js';
import { refuseLook, viewerOf, tokenEnd, type Viewer } from './viewer.js';
import type { SystemFigures } from '../watch/system-figures.js';
import { refuseTooOften } from '../http/public-error.js';

export interface StreamDeps {
  readonly figures: Pick<SystemFigures, 'read'>;
  readonly isStopping: () => boolean;
}

export type StreamRouteDeps = AdmissionDeps & ReadDeps & StreamDeps;

export interface StreamLimits {
  /** Streams at addresses where they have signed, and as many at all others together. */
  readonly perCaller: number;
  readonly inAll: number;
  readonly everyMs: number;
  readonly heartbeatMs: number;
  readonly longestMs: number;
  /** A reader who takes nothing for so long is cut off. */
  readonly stalledMs: number;
}

const LIMITS: StreamLimits = {
  perCaller: 4,
  inAll: 64,
  everyMs: 2_000,
  heartbeatMs: 15_000,
  longestMs: 3_600_000,
  stalledMs: 30_000,
};

const TOO_MANY = refuseTooOften('too many streams are open', 30);

export function createStreamRoute(deps: StreamRouteDeps, limits: StreamLimits = LIMITS): Route {
  const { method, path } = streamSystemOperationsOperation;
  const places = createPlaces(limits);
  return {
    method,
    path,
    async handle(request: Request, response: Response) {
      const exchange = await admitReader(deps, streamSystemOperationsOperation, request, response);
      if (isRefusal(exchange)) return sendEarlyRefusal(response, exchange);
      const { caller } = exchange;
      const refusal =
        refuseStream(deps, exchange) ?? places.take(holderOf(deps, caller, request), response);
      if (refusal !== undefined) {
        const { id } = streamSystemOperationsOperation;
        return sendRefusal(response, await refuseReader(deps, id, exchange, caller, refusal));
      }
      const endsAt = tokenEnd(request.headers.authorization) ?? Infinity;
      const address = deps.addressOf(request);
      stream(deps, limits, response, { viewer: viewerOf(caller), address, endsAt });
    },
  };
}

/** Whoever has only the credential takes no place from its owner at an address where the owner has signed. */
function holderOf({ limits, sourceOf }: StreamRouteDeps, { id }: User, request: Request): string {
  const isProven = limits.isProven({ callerId: id, source: sourceOf(request) });
  return isProven ? id : `${id} elsewhere`;
}

function refuseStream(deps: StreamRouteDeps, exchange: ReadExchange): Refusal | undefined {
  const context = readContext(deps, exchange.caller, exchange);
  const denied = refuseRead(context, streamSystemOperationsOperation);
  if (denied !== undefined) return denied;
  const query = parseQuery(streamSystemOperationsOperation.query, exchange.target.query);
  return isRefusal(query) ? query : undefined;
}

/** Each stream keeps its place until its connection closes. */
function createPlaces({ perCaller, inAll }: StreamLimits) {
  const taken = new Map<string, number>();
  let all = 0;
  const add = (holder: string, count: number) => {
    all += count;
    const held = (taken.get(holder) ?? 0) + count;
    if (held === 0) taken.delete(holder);
    else taken.set(holder, held);
  };
  return {
    take(holder: string, response: Response): Refusal | undefined {
      if (all >= inAll || (taken.get(holder) ?? 0) >= perCaller) return TOO_MANY;
      add(holder, 1);
      response.once('close', () => add(holder, -1));
      return undefined;
    },
  };
}

interface Reader {
  readonly viewer: Viewer;
  readonly address: string | undefined;
  /** When its token ends, ms. */
  readonly endsAt: number;
}

/** Runs until the stream ends for any reason. One event waits at most: figures that nobody took in time are dropped. */
function stream(
  deps: StreamRouteDeps,
  limits: StreamLimits,
  response: Response,
  reader: Reader,
): void {
  const { now, figures } = deps;
  const startedAt = now();
  let saidAt = startedAt;
  let tookAt = startedAt;
  let isSending = false;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();

  async function tell(): Promise<void> {
    const text = await figures.read().then(eventOf, () => undefined); // another look follows
    if (text === undefined && now() - saidAt < limits.heartbeatMs) return;
    if (response.destroyed || response.writableEnded) return;
    saidAt = now();
    response.write(text ?? ': nothing new\n\n');
  }

  function turn(): void {
    if (!response.writableNeedDrain) tookAt = now();
    if (now() - tookAt > limits.stalledMs) return void response.destroy();
    const isOld = now() - startedAt > limits.longestMs || now() >= reader.endsAt;
    const isOver = isOld || deps.isStopping();
    const no = refuseLook(deps, reader.viewer, reader.address);
    if (isOver || no !== undefined) return void response.end();
    if (isSending || response.writableNeedDrain) return;
    isSending = true;
    void tell().finally(() => (isSending = false));
  }

  const timer = setInterval(turn, limits.everyMs);
  response.once('close', () => clearInterval(timer));
  response.on('error', () => undefined); // a close follows
  turn();
}

function eventOf(figures: unknown): string {
  return `event: operations\ndata: ${JSON.stringify(figures)}\n\n`;
}
