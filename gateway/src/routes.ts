/** The routing table: a row for every operation of the registries, in the order of matching. */
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import type { Response } from 'express';
import { isRefusal } from '@countersign/core/errors.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import type { LedgerOperation } from '@countersign/vault/operations/ledger-operation.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import { SIGNING_BATCHES } from '@countersign/vault/operations/signing-batches.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { exportAuditRoute } from './audit/export-audit-route.js';
import type { Answer, SignedExchange } from './admission/exchange.js';
import { sendEarlyRefusal } from './http/early-refusal.js';
import { sendRefusal, sendWrongContentType } from './http/error-response.js';
import { hasBody, isPlainJson } from './http/read-body.js';
import type { Route } from './http/route.js';
import { sendJson } from './http/send-json.js';
import type { LoadShedder } from './admission/load-shedder.js';
import { recordingFailure } from './requests/recording-failure.js';
import { createBacktestRoute } from './read/backtest-route.js';
import { evaluateRoute } from './read/evaluate-route.js';
import { handleReadOperation, type ReadDeps } from './read/handle-read-operation.js';
import type { ReadOperation } from './read/read-operation.js';
import { SERVICE_ROUTES, type ServiceContext, type ServiceRoute } from './watch/service-routes.js';
import { handleSigningOperation, type SigningDeps } from './sign/handle-signing-operation.js';
import { handleSigningBatch } from './sign/handle-signing-batch.js';
import { handleLedgerOperation, type WriteDeps } from './govern/handle-ledger-operation.js';
import { createStreamRoute, type StreamDeps } from './read/stream-operations-route.js';
import { resendEvents } from './read/webhook-deliveries.js';
import {
  admitReader,
  admitWrite,
  type AdmissionDeps,
  type NamedTarget,
  type SignedIntake,
} from './admission/admission.js';
import { consoleRoutes, type ConsoleParts } from './pages/console-routes.js';
import { documentRoutes, type Documents } from './pages/document-routes.js';
import { passkeyOptionsRoute } from './govern/passkey-options-route.js';
import { queuesRoutes, type QueuesDeps } from './queues/queues-routes.js';
import { tellingTimes } from './sign/told-times.js';
import type { Tracing } from '@countersign/runtime/tracing/tracing.js';
import { READ_OPERATIONS } from './read-operations.js';
import type { Asks } from './sign/admission-control.js';
import { createSigningShedder, type SigningShedderDeps } from './sign/signing-shedder.js';

interface Traced {
  readonly tracing: Tracing;
}

/** Dependencies of all routes together. */
export type RouteDeps = SigningShedderDeps &
  SigningDeps &
  Traced &
  WriteDeps &
  ReadDeps &
  StreamDeps &
  QueuesDeps & {
    readonly service: ServiceContext;
    readonly documents: Documents;
    readonly console: ConsoleParts;
  };

/** Every route of the API, including its documents. */
export function routesOf(deps: RouteDeps): SheddableRoute[] {
  return [
    ...SIGNING_OPERATIONS.map((operation) =>
      signingRoute(deps, operation, { ...operation, asks: 'one' }, (exchange) =>
        handleSigningOperation(deps, operation, exchange),
      ),
    ),
    ...SIGNING_BATCHES.map((batch) =>
      signingRoute(deps, batch, { ...batch.one, asks: 'several' }, (exchange) =>
        handleSigningBatch(deps, batch, exchange),
      ),
    ),
    ...LEDGER_OPERATIONS.map((operation) => ledgerRoute(deps, operation)),
    ...[...READ_OPERATIONS, evaluateRoute, createBacktestRoute(), resendEvents].map((operation) =>
      readRoute(deps, operation),
    ),
    exportAuditRoute(deps),
    createStreamRoute(deps),
    passkeyOptionsRoute(deps),
    ...SERVICE_ROUTES.map((route) => serviceRoute(deps.service, route)),
    ...documentRoutes(deps.documents),
    ...consoleRoutes(deps.console),
    ...queuesRoutes(deps),
  ];
}

/** Most routes have no shedder: their requests are not refused for want of room. */
export type SheddableRoute = Route & { readonly shedder?: LoadShedder };

function signingRoute(
  deps: SigningShedderDeps & SigningDeps & Traced,
  target: RequestTarget & { readonly id: string },
  { findTarget, asks }: Pick<SigningOperation, 'findTarget'> & { readonly asks: Asks },
  handle: (exchange: SignedExchange) => Promise<Answer>,
): SheddableRoute {
  const shedder = createSigningShedder(deps, { ...target, findTarget }, asks);
  const options = { needsBody: true, foldRemembersNonces: false, enter: shedder.enter };
  const recorded = (exchange: SignedExchange) =>
    recordingFailure(deps, target.id, exchange, () => handle(exchange));
  const route = signedRoute(deps, target, options, tellingTimes(deps.tracing, target.id, recorded));
  return { ...route, signs: target.id, shedder };
}

function ledgerRoute(deps: AdmissionDeps & WriteDeps, operation: LedgerOperation): Route {
  const options = { needsBody: operation.bodyOptional !== true, foldRemembersNonces: true };
  return signedRoute(deps, operation, options, (exchange) =>
    recordingFailure(deps, operation.id, exchange, () =>
      handleLedgerOperation(deps, operation, exchange),
    ),
  );
}

function signedRoute(
  deps: AdmissionDeps,
  operation: NamedTarget,
  options: SignedIntake & { readonly needsBody: boolean },
  answer: (exchange: SignedExchange) => Promise<Answer>,
): Route {
  const { method, path } = operation;
  return {
    method,
    path,
    async handle(request, response) {
      if ((options.needsBody || hasBody(request)) && !isPlainJson(request)) {
        return sendWrongContentType(response);
      }
      const exchange = await admitWrite(deps, operation, request, response, options);
      if (isRefusal(exchange)) return sendEarlyRefusal(response, exchange);
      sendAnswer(response, await answer(exchange));
    },
  };
}

function readRoute(deps: AdmissionDeps & ReadDeps, operation: ReadOperation): Route {
  const { method, path } = operation;
  return {
    method,
    path,
    async handle(request, response) {
      if (operation.authentication === 'signed' && !isPlainJson(request)) {
        return sendWrongContentType(response);
      }
      const exchange = await admitReader(deps, operation, request, response);
      if (isRefusal(exchange)) return sendEarlyRefusal(response, exchange);
      sendAnswer(response, await handleReadOperation(deps, operation, exchange, exchange.caller));
    },
  };
}

function serviceRoute(context: ServiceContext, route: ServiceRoute): Route {
  const { method, path } = route;
  return {
    method,
    path,
    async handle(request, response) {
      request.resume();
      const { status, body } = route.handle(context);
      sendJson(response, status, body);
    },
  };
}

function sendAnswer(response: Response, answer: Answer): void {
  if (isRefusal(answer)) return sendRefusal(response, answer);
  if (answer.requestId !== undefined) response.setHeader('x-request-id', answer.requestId);
  if (answer.status === 200) return sendJson(response, 200, answer.body);
  const { requestId, awaits: approvals } = answer;
  const waiting = approvals === undefined ? {} : { phase: 'awaiting_approval', approvals };
  sendJson(response, 202, { status: 'processing', request_id: requestId, ...waiting });
}
