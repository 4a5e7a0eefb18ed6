import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '@countersign/core/errors.js';

/** Node silently drops headers beyond its limit, so a request that has more is refused. */
export const MAX_HEADERS = 64;

/** Refuses what Node's parser lets through, or answers with a body of its own. */
export function refuseMalformedHead(request: IncomingMessage): Refusal | undefined {
  if (request.httpVersionMajor !== 1) return refuse('parse_error', 'malformed HTTP request');
  if (request.rawHeaders.length > 2 * MAX_HEADERS) {
    return refuse('parse_error', `more than ${MAX_HEADERS} headers`);
  }
  const { 'transfer-encoding': encoding } = request.headers;
  // Node accepts any encodings before a last `chunked`, and hands the body on as if they had been decoded
  if (encoding !== undefined && (encoding !== 'chunked' || request.httpVersionMinor === 0)) {
    return refuse('parse_error', 'the only transfer-encoding is chunked, in HTTP/1.1');
  }
  const hosts = request.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
  );
  const isHostDue = request.httpVersionMinor > 0;
  return hosts.length > 1 || (isHostDue && hosts.length === 0)
    ? refuse('parse_error', 'the header host is missing or repeated')
    : undefined;
}
