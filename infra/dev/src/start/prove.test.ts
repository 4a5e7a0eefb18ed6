import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createCountersignClient } from '@countersign/client/countersign-client.js';
import { prove, PROOF_PATIENCE } from './prove.js';

let server: Server | undefined;
afterEach(() => void server?.close());

/** Answers 504 so many times, then 403: a proof that gets there has not given up before. */
async function startBusyVault(busyFor: number): Promise<{ baseUrl: string; asked: () => number }> {
  let asked = 0;
  server = createServer((_request, response) => {
    asked += 1;
    const isBusy = asked <= busyFor;
    response.writeHead(isBusy ? 504 : 403, { 'content-type': 'application/json' });
    const errType = isBusy ? 'gateway_timeout' : 'forbidden';
    response.end(JSON.stringify({ err_type: errType, err_msg: 'told' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, asked: () => asked };
}

it('asks a vault again that is too busy to answer, for longer than a client does by itself', async () => {
  const vault = await startBusyVault(6);
  const client = createCountersignClient({
    baseUrl: vault.baseUrl,
    apiKey: randomUUID(),
    privateKey: generateKeyPairSync('ed25519').privateKey,
    ...PROOF_PATIENCE,
  });
  await expect(prove(client, randomUUID())).rejects.toThrow('forbidden: told');
  expect(vault.asked()).toBe(7);
  client.close();
}, 30_000);
