import { once } from 'node:events';
import http, { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { closeServer } from './close-server.js';

/** Longer than a test may take: nothing is cut. */
const LONG_MS = 60_000;

let server: http.Server;
let port: number;
let agent: Agent;

beforeEach(async () => {
  server = http.createServer({ keepAliveTimeout: LONG_MS });
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  agent.destroy();
  server.closeAllConnections();
  server.close();
});

/** Sends a request; its answer is what the returned promise comes to. */
function send(): Promise<{ body: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, agent }, (response) => {
      const { connection } = response.headers;
      text(response).then((body) => resolve({ body, connection }), reject);
    });
    request.on('error', reject);
  });
}

async function arrived(): Promise<ServerResponse> {
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return response;
}

describe('a server that is closed', () => {
  it('answers a request that had come before', async () => {
    const answer = send();
    const response = await arrived();
    const closed = closeServer(server, LONG_MS);
    response.end('late, but whole');
    expect(await answer).toMatchObject({ body: 'late, but whole' });
    await closed;
  });

  it('tells a caller who goes on asking over the same connection to close it', async () => {
    const socket = connect(port, '127.0.0.1');
    const head = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';
    socket.write(head);
    const first = await arrived();
    const closed = closeServer(server, LONG_MS);
    socket.write(head);
    const second = await arrived();
    first.end('first');
    second.end('second');
    const answers = await text(socket);
    expect(answers.match(/^connection: .*$/gim)).toEqual([
      'Connection: keep-alive',
      'Connection: close',
    ]);
    expect(answers).toMatch(/first[\s\S]*second/);
    await closed;
  });

  it('is done once the callers who keep a connection for later are gone, without waiting for them', async () => {
    const answer = send();
    (await arrived()).end('answered');
    expect((await answer).connection).toBe('keep-alive');
    await closeServer(server, LONG_MS);
    expect(server.listening).toBe(false);
  });

  it('closes a connection that becomes idle only after the close has begun', async () => {
    const answer = send();
    const response = await arrived();
    response.writeHead(200, { connection: 'keep-alive' });
    response.flushHeaders();
    const closed = closeServer(server, LONG_MS);
    response.end('answered');
    expect((await answer).connection).toBe('keep-alive');
    await closed;
  });

  it('cuts a request that is not answered in time, and accepts nobody else', async () => {
    const failure = send().catch((error: unknown) => error);
    await arrived();
    await closeServer(server, 1);
    expect(await failure).toMatchObject({ code: 'ECONNRESET' });
    await expect(send()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
