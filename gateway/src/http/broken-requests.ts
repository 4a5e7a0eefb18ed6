import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MAX_HEADERS } from './message-head.js';

/** Gives the API's error body to requests that the HTTP parser refuses (malformed, too large, too slow). */
export function answerBrokenRequests(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => latest.set(socket, response));
  server.on('connect', (_request, socket) => answer(socket)); // Node would answer nothing
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isMute = error.code === 'ECONNRESET' || !socket.writable || isUnused(socket);
    if (isMute || !isAnswerDue(latest.get(socket))) socket.destroy();
    else answer(socket, error.code === 'HPE_HEADER_OVERFLOW' ? TOO_LARGE_A_HEAD : MALFORMED);
  });
}

/**
 * Browsers open connections in advance. One that times out unused is closed without an answer: the browser would take
 * it for that of a request which it sends at this moment.
 */
function isUnused(socket: Duplex): boolean {
  return socket instanceof Socket && socket.bytesRead === 0;
}

/** No answer is due if one was given before the request broke, or while an earlier request waits for its own. */
function isAnswerDue(last: ServerResponse | undefined): boolean {
  if (last === undefined) return true;
  return last.req.complete ? last.writableFinished : !last.headersSent;
}

const MALFORMED = 'malformed HTTP request';
const TOO_LARGE_A_HEAD = `more than ${MAX_HEADERS} headers, or 16 KiB of them`;

function answer(socket: Duplex, message = MALFORMED): void {
  const body = JSON.stringify({ err_type: 'parse_error', err_msg: message });
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n' +
      `x-request-id: ${randomUUID()}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
