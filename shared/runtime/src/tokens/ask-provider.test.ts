/** Over a real socket: what a provider's address may answer. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ANSWER_WITHIN_MS, askProvider } from './provider-keys.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function ask(listener: RequestListener, withinMs?: number): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return askProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`, withinMs);
}

describe("a provider's answer", () => {
  it('is read', async () =>
    expect(await ask((_request, response) => response.end('{"keys":[]}'))).toBe('{"keys":[]}'));

  it('is not looked for elsewhere', async () => {
    let asked = 0;
    const answer = ask((_request, response) => {
      asked += 1;
      response.writeHead(302, { location: '/latest/meta-data' }).end();
    });
    await expect(answer).rejects.toThrow();
    expect(asked).toBe(1);
  });

  it('is given up where it is too long, however long it goes on', async () => {
    const chunk = Buffer.alloc(64 * 1_024, 'x');
    let sent = 0;
    const answer = ask((_request, response) => {
      const more = () => {
        while (!response.destroyed && sent < 1_000 && response.write(chunk)) sent += 1;
        if (sent >= 1_000) response.end();
      };
      response.on('drain', more);
      more();
    });
    await expect(answer).rejects.toThrow('longer than allowed');
    expect(sent).toBeLessThan(1_000);
  });

  it.each<[string, RequestListener]>([
    ['does not come', () => undefined],
    ['does not end', (_request, response) => void response.write('{"keys":')],
  ])('is given up where it %s, in 5 s', async (_what, listener) => {
    await expect(ask(listener, 50)).rejects.toThrow(/timeout|aborted/);
    expect(ANSWER_WITHIN_MS).toBe(5_000);
  });

  it.each([404, 500, 204])('of status %i is none', async (status) => {
    await expect(ask((_request, response) => response.writeHead(status).end())).rejects.toThrow();
  });
});
