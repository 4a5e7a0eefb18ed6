import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { BodyHolder, BodyMemory, BodyShare } from './body-memory.js';

export const MAX_BODY_BYTES = 256 * 1024;

const TOO_LARGE = refuse('parse_error', `the body is larger than ${MAX_BODY_BYTES} bytes`);
const BROKEN_OFF = refuse('parse_error', 'the request body ended before it was complete');
const EMPTY = Buffer.alloc(0);
const FIRST_BYTES = 1024;

/** Reads the body's bytes as they stood on the wire, for a caller whom the head names. */
export type ReadBody = (caller: Omit<BodyHolder, 'source'>) => Promise<Buffer | Refusal>;

/** 400 if the announced length is too much: nothing of it need be read. */
export function refuseTooLarge(request: IncomingMessage): Refusal | undefined {
  return Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES ? TOO_LARGE : undefined;
}

const shares = new WeakMap<ServerResponse, BodyShare>();

/** Counts the body that this answers for as long as the work takes, if that is longer than the answer. */
export function holdBodyFor(response: ServerResponse, work: Promise<unknown>): void {
  shares.get(response)?.holdFor(work);
}

/** Reads this request's body when called, and counts it until the answer has been sent. */
export function bodyReader(
  { bodies, source }: { readonly bodies: BodyMemory; readonly source: string },
  request: IncomingMessage,
  response: ServerResponse,
): ReadBody {
  return async ({ id, isProven }) => {
    if (!hasBody(request)) return EMPTY;
    const announced = Number(request.headers['content-length'] ?? MAX_BODY_BYTES);
    if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
    const share = bodies.open({ id, isProven, source });
    shares.set(response, share);
    response.once('close', () => share.release());
    return collect(request, share, Math.min(announced, MAX_BODY_BYTES));
  };
}

/** Rejects with 504 when the share is used up. After an early end the rest of the stream is discarded. */
function collect(
  request: IncomingMessage,
  share: BodyShare,
  maxBytes: number,
): Promise<Buffer | Refusal> {
  const body = createGrowingBody(share, maxBytes);
  return new Promise((resolve, reject) => {
    let isListening = true;
    const stop = () => {
      if (!isListening) return;
      isListening = false;
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      request.resume();
    };
    const onData = (chunk: Buffer) => {
      try {
        if (body.add(chunk)) return;
        stop();
        resolve(TOO_LARGE);
      } catch (error) {
        stop();
        reject(error as Error);
      }
    };
    const onEnd = () => {
      stop();
      resolve(body.bytes());
    };
    const onClose = () => {
      stop();
      resolve(BROKEN_OFF);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    request.on('error', () => undefined); // a close follows
  });
}

interface GrowingBody {
  /** Returns false when the body would be longer than it may be. */
  add(chunk: Buffer): boolean;
  bytes(): Buffer;
}

/**
 * Uses one buffer and not a list of chunks: a body that comes byte by byte would cost hundreds of bytes for each.
 * Exactly the held bytes are counted.
 */
function createGrowingBody(share: BodyShare, maxBytes: number): GrowingBody {
  let held: Buffer = EMPTY;
  let size = 0;
  return {
    add(chunk) {
      const needed = size + chunk.length;
      if (needed > maxBytes) return false;
      if (size === 0 && chunk.length === maxBytes) {
        share.take(maxBytes);
        held = chunk;
      } else {
        if (needed > held.length) {
          const length = Math.min(maxBytes, Math.max(needed, 2 * held.length, FIRST_BYTES));
          share.take(length - held.length);
          const longer = Buffer.alloc(length);
          held.copy(longer, 0, 0, size);
          held = longer;
        }
        chunk.copy(held, size);
      }
      size = needed;
      return true;
    },
    bytes: () => held.subarray(0, size),
  };
}

/** Whether the head announces a body; one of no bytes is none. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Whether it is JSON, in UTF-8, not compressed: only then are the parsed bytes the signed ones. */
export function isPlainJson(request: IncomingMessage): boolean {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (encoding !== undefined && encoding !== 'identity') return false;
  return /^application\/json\s*(;\s*charset=("?)utf-8\2\s*)?$/i.test(type ?? '');
}
