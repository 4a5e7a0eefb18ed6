import type { ServerResponse } from 'node:http';

/** Writes once, without Express' `res.json`, which computes an ETag that signed answers never need. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.end(writeJsonHead(response, status, body));
}

/** Returns the text that is to follow. */
export function writeJsonHead(response: ServerResponse, status: number, body: unknown): string {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  return text;
}
