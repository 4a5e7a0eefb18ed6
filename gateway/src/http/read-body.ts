import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '@countersign/core/errors.js';

export const MAX_BODY_BYTES = 256 * 1024;

const TOO_LARGE = refuse('parse_error', `the body is larger than ${MAX_BODY_BYTES} bytes`);
const BROKEN_OFF = refuse('parse_error', 'the request body ended before it was complete');
const EMPTY = Buffer.alloc(0);

/**
 * The body's bytes as they stood on the wire. A body that is too large is read to its end all the
 * same: a connection closed before that would take the answer with it.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | Refusal> {
  if (!hasBody(request)) return EMPTY;
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return TOO_LARGE;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    return BROKEN_OFF;
  }
  if (size > MAX_BODY_BYTES) return TOO_LARGE;
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** By what the head announces; a body of no bytes is none. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** JSON, in UTF-8, not compressed: then the bytes that are parsed are the bytes that were signed. */
export function isPlainJson(request: IncomingMessage): boolean {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (encoding !== undefined && encoding !== 'identity') return false;
  return /^application\/json\s*(;\s*charset=("?)utf-8\2\s*)?$/i.test(type ?? '');
}
