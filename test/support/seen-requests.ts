/** A gateway's address that remembers what was asked of it. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequests {
  readonly url: string;
  /** `METHOD /path?query`, in the order in which they came. */
  readonly seen: string[];
  close(): Promise<void>;
}

export async function openSeenRequests(gatewayUrl: string): Promise<SeenRequests> {
  const { hostname, port } = new URL(gatewayUrl);
  const seen: string[] = [];
  const server = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    seen.push(`${method} ${path}`);
    const onward = request({ hostname, port, method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
