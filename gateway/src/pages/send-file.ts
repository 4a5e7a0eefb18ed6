import type { ServerResponse } from 'node:http';
import type { ConsoleFile } from './console-files.js';

/** Sends it compressed to clients that accept that. */
export async function sendFile(response: ServerResponse, file: ConsoleFile): Promise<void> {
  const takesGzip = /\bgzip\b/.test(response.req.headers['accept-encoding'] ?? '');
  const body = takesGzip ? await file.compressed() : file.body;
  response.writeHead(200, {
    'content-type': file.contentType,
    'content-length': body.length,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(takesGzip && { 'content-encoding': 'gzip' }),
  });
  response.end(body);
}
