/**
 * A server that answers every request alike, to tell what the layers under a route cost: `node:http` alone, Express
 * on a plain server, and Express on the gateway's own. `node bench-http.js <node|express|fast>`, started with an IPC
 * channel, says `{port}`; to any message it answers with `{cpuUs}`, its processor time so far.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { createFastServer } from '../dist/http/fast-server.js';
import { sendJson } from '../dist/http/send-json.js';

const ANSWER = { status: 'ok' };

function expressApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.setHeader('x-request-id', 'the same');
    next();
  });
  app.get('/answer', (_request, response) => sendJson(response, 200, ANSWER));
  return app;
}

const SERVERS: Readonly<Record<string, () => http.Server>> = {
  node: () =>
    http.createServer((_request, response) => {
      response.setHeader('x-request-id', 'the same');
      sendJson(response, 200, ANSWER);
    }),
  express: () => http.createServer(expressApp()),
  fast() {
    const app = expressApp();
    return createFastServer({ app, listener: app });
  },
};

const create = SERVERS[process.argv[2] ?? ''];
if (create === undefined || process.send === undefined) throw new Error('see the top of this file');
const server = create();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send!({ cpuUs: user + system });
});
process.once('disconnect', () => process.exit(0));
process.send({ port: (server.address() as AddressInfo).port });
