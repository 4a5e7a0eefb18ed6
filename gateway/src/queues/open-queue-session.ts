/** Gives a browser the cookie for the page of the queues, by its user's credential. */
import { timeView } from '@countersign/api/common-schema.js';
import {
  openQueueSessionOperation,
  QUEUES_PATH,
} from '@countersign/api/operations/system-operations.js';
import { parseQuery } from '@countersign/api/query-string.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { admitReader, type AdmissionDeps, type ReadExchange } from '../admission/admission.js';
import { sendEarlyRefusal } from '../http/early-refusal.js';
import { sendRefusal } from '../http/error-response.js';
import type { Route } from '../http/route.js';
import { sendJson } from '../http/send-json.js';
import {
  readContext,
  refuseRead,
  refuseReader,
  type ReadDeps,
} from '../read/handle-read-operation.js';
import { viewerOf, tokenEnd } from '../read/viewer.js';
import { SESSION_MS, type QueueSessions } from './queue-session.js';

export type QueueSessionDeps = AdmissionDeps & ReadDeps;

export function openQueueSessionRoute(deps: QueueSessionDeps, sessions: QueueSessions): Route {
  const { id, method, path } = openQueueSessionOperation;
  return {
    method,
    path,
    async handle(request, response) {
      const exchange = await admitReader(deps, openQueueSessionOperation, request, response);
      if (isRefusal(exchange)) return sendEarlyRefusal(response, exchange);
      const { caller } = exchange;
      const refusal = refuseSession(deps, exchange);
      if (refusal !== undefined) {
        return sendRefusal(response, await refuseReader(deps, id, exchange, caller, refusal));
      }
      const tokenEndsAt = tokenEnd(request.headers.authorization) ?? Infinity;
      const endsAt = Math.min(deps.now() + SESSION_MS, tokenEndsAt);
      response.setHeader('set-cookie', sessions.seal({ ...viewerOf(caller), endsAt }));
      sendJson(response, 200, { path: QUEUES_PATH, ends_at: timeView(endsAt) });
    },
  };
}

function refuseSession(deps: QueueSessionDeps, exchange: ReadExchange): Refusal | undefined {
  const context = readContext(deps, exchange.caller, exchange);
  const denied = refuseRead(context, openQueueSessionOperation);
  if (denied !== undefined) return denied;
  const query = parseQuery(openQueueSessionOperation.query, exchange.target.query);
  return isRefusal(query) ? query : undefined;
}
