import http from 'node:http';
import type { Express } from 'express';
import { answerBrokenRequests } from './broken-requests.js';
import { MAX_HEADERS } from './message-head.js';

/** Takes a request and answers it. */
export type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** Answers requests. */
export interface Surface {
  readonly app: Express;
  /** The app itself, or the listener before it. */
  readonly listener: Listener;
}

/**
 * An HTTP server whose request and response objects are created with the prototypes that Express would otherwise set on
 * each. Changing the prototype of a live object costs more than everything else Express does. No sub-app may be
 * mounted: it would set others.
 */
export function createFastServer({ app, listener }: Surface): http.Server {
  function Request(this: http.IncomingMessage, socket: unknown): void {
    Reflect.apply(http.IncomingMessage as unknown as () => void, this, [socket]);
  }
  function Response(this: http.ServerResponse, ...args: unknown[]): void {
    Reflect.apply(http.ServerResponse as unknown as () => void, this, args);
  }
  Request.prototype = app.request;
  Response.prototype = app.response;
  const server = http.createServer(
    {
      IncomingMessage: Request as unknown as typeof http.IncomingMessage,
      ServerResponse: Response as unknown as typeof http.ServerResponse,
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: false, // the app says it with the API's error body
    },
    listener,
  );
  server.maxHeadersCount = MAX_HEADERS + 1;
  const take = (request: http.IncomingMessage, response: http.ServerResponse) =>
    server.emit('request', request, response);
  server.on('checkExpectation', take); // Node would answer 417
  server.on('checkContinue', take); // Node would ask for the body before anybody has looked at the head
  answerBrokenRequests(server);
  return server;
}
