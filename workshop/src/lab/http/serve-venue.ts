/** A simulated venue over HTTP and WebSocket on this machine alone. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { SimulatedVenue, WireRequest } from '../venues/simulated-venue.js';
import { serveSockets } from './serve-sockets.js';

export interface ServedVenue {
  /** Scheme, host and port. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1 << 20;
/** Longer than a bot pauses: a connection that is closed while a request is on its way fails that request. */
const KEEP_ALIVE_MS = 65_000;

/** `port` 0: one that is free. */
export async function serveVenue(venue: SimulatedVenue, port = 0): Promise<ServedVenue> {
  const server = createServer((incoming, outgoing) => {
    const answered = readRequest(incoming).then((request) => {
      const { status, body } = venue.handle(request);
      const text = JSON.stringify(body);
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
    // a fault of the simulator is one of its own, and the other connections go on
    answered.catch(() => outgoing.headersSent || outgoing.writeHead(500).end());
  });
  const closeSockets = serveSockets(server, venue);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      closeSockets();
      return closeServer(server);
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new RangeError('the body is too long');
    chunks.push(chunk);
  }
  const [path = '', ...query] = (incoming.url ?? '').split('?');
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? '',
    path,
    query: query.join('?'),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
