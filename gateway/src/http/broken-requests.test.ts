/** Connections on which nothing whole was asked. */
import { once } from 'node:events';
import http, { type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerBrokenRequests } from './broken-requests.js';

let server: Server;

beforeAll(async () => {
  server = http.createServer(
    { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 },
    (_, response) => response.end(),
  );
  answerBrokenRequests(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** What comes back on a connection until the server closes it. */
async function answersTo(sent: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  if (sent !== '') socket.write(sent);
  await once(socket, 'close');
  return text;
}

describe('a connection whose time is over', () => {
  it('is closed without a word where nothing was asked', async () => {
    expect(await answersTo('')).toBe('');
  });

  it('is told so where a request had begun', async () => {
    expect(await answersTo('GET / HTTP/1.1\r\n')).toMatch(/^HTTP\/1\.1 400 .*malformed/s);
  });
});
