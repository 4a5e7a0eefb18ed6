import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

/** What the HTTP parser refuses (malformed, too large, too slow) gets the API's error body as well. */
export function answerBrokenRequests(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ err_type: 'parse_error', err_msg: 'malformed HTTP request' });
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n' +
      `x-request-id: ${randomUUID()}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
