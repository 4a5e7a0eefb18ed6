import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { httpRequest, openConnection } from './http-connection.js';

const results = (...statuses: string[]) => JSON.stringify(statuses.map((status) => ({ status })));
const ANSWERS: Readonly<Record<string, readonly [status: number, body: string]>> = {
  '/all': [200, results('signed', 'signed', 'signed')],
  '/some': [200, results('signed', 'denied', 'signed')],
  '/busy': [504, '{}'],
};

/** In two pieces, between which a word may be cut. */
const server = createServer((request, response) => {
  const [status, body] = ANSWERS[request.url!]!;
  response.writeHead(status, { 'content-length': body.length });
  const half = body.indexOf('signed') + 3;
  response.write(body.slice(0, half), () => response.end(body.slice(half)));
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function statusesOf(itemsEach: number): Promise<number[]> {
  const { port } = server.address() as AddressInfo;
  const connection = await openConnection({ port, itemsEach });
  const statuses: number[] = [];
  for (const target of Object.keys(ANSWERS)) {
    statuses.push(await connection.ask(httpRequest('POST', target, {})));
  }
  connection.close();
  return statuses;
}

test('a batch of which an item is not signed is no 200', async () => {
  expect(await statusesOf(3)).toEqual([200, 207, 504]);
  expect(await statusesOf(1)).toEqual([200, 200, 504]);
});
