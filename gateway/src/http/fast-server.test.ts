import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { createFastServer } from './fast-server.js';

let server: http.Server | undefined;
afterEach(() => {
  server?.close();
});

interface Seen {
  readonly request: object | null;
  readonly response: object | null;
  readonly isRequest: boolean;
  readonly isResponse: boolean;
}

/** Serves one request and says what its objects were before Express was given them. */
async function serveOne(app: Express): Promise<{ seen: Seen; text: string; status: number }> {
  server = createFastServer({ app, listener: app });
  let seen: Seen | undefined;
  server.prependListener('request', (request, response) => {
    seen = {
      request: Object.getPrototypeOf(request) as object | null,
      response: Object.getPrototypeOf(response) as object | null,
      isRequest: request instanceof http.IncomingMessage,
      isResponse: response instanceof http.ServerResponse,
    };
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/hello`, {
    method: 'POST',
    body: 'a body',
    headers: { connection: 'close' },
  });
  return { seen: seen!, text: await answer.text(), status: answer.status };
}

function echoApp(): Express {
  const app = express();
  app.use(express.text({ type: () => true }));
  app.post('/hello', (request, response) => {
    response.status(201).send(`${request.path} ${String(request.body)}`);
  });
  return app;
}

describe('the fast server', () => {
  it('gives Express objects that already have the prototypes it would set', async () => {
    const app = echoApp();
    const { seen } = await serveOne(app);
    expect(seen.request).toBe(app.request);
    expect(seen.response).toBe(app.response);
  });

  it('leaves them what they were: objects of node:http that Express can work with', async () => {
    const { seen, text, status } = await serveOne(echoApp());
    expect(seen.isRequest).toBe(true);
    expect(seen.isResponse).toBe(true);
    expect(text).toBe('/hello a body');
    expect(status).toBe(201);
  });
});
