import type { Server } from 'node:http';

const IDLE_SWEEP_MS = 250;

/**
 * Answers every request that has come. Connections that are still open after `withinMs` milliseconds are cut. A caller
 * who keeps a connection busy is told to close it: otherwise it would be cut in the middle of a request.
 */
export function closeServer(server: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), withinMs);
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    server.close(() => {
      clearTimeout(timer);
      clearInterval(sweep);
      resolve();
    });
  });
}
