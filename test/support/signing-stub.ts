/** In a vault's place, for READMEs: signs whatever it is asked for OKX, by a secret of its own. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SigningStub {
  readonly url: string;
  close(): Promise<void>;
}

interface Asked {
  readonly venue_request: { method: string; path: string; query?: string; body?: string };
}

export async function startSigningStub(account: {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}): Promise<SigningStub> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { venue_request: asked } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      const { method, path, query = '', body = '' } = asked;
      const timestamp = new Date().toISOString();
      const target = query === '' ? path : `${path}?${query}`;
      const headers = {
        'OK-ACCESS-KEY': account.apiKey,
        'OK-ACCESS-PASSPHRASE': account.passphrase,
        'OK-ACCESS-TIMESTAMP': timestamp,
        'OK-ACCESS-SIGN': createHmac('sha256', account.secret)
          .update(`${timestamp}${method}${target}${body}`)
          .digest('base64'),
      };
      const request = { method, path, query, headers, body };
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ request, operation_class: 'read', binds: [], receipt: {} }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
