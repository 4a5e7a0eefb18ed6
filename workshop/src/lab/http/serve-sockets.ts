/** The WebSockets of a simulated venue, beside its HTTP server. */
import type { Server } from 'node:http';
import { WebSocketServer, type Socket } from 'ws';
import type { SimulatedVenue, VenueSocket } from '../venues/simulated-venue.js';

const MAX_MESSAGE_BYTES = 1 << 16;

/** Returns what ends every connection. A path that the venue has no socket at is hung up on. */
export function serveSockets(server: Server, { openSocket }: SimulatedVenue): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  server.on('upgrade', (request, wire, head) => {
    const [path = ''] = (request.url ?? '').split('?');
    const opened = openSocket?.(path);
    if (opened === undefined) {
      wire.destroy();
      return;
    }
    sockets.handleUpgrade(request, wire, head, (socket) => converse(socket, opened));
  });
  return () => {
    for (const client of sockets.clients) client.terminate();
  };
}

function converse(socket: Socket, opened: VenueSocket): void {
  // whoever breaks the protocol is closed by the library
  socket.on('error', () => undefined);
  socket.on('message', (data, isBinary) => {
    if (isBinary) return;
    for (const answer of opened.receive(data.toString('utf8'))) {
      socket.send(typeof answer === 'string' ? answer : JSON.stringify(answer));
    }
  });
}
