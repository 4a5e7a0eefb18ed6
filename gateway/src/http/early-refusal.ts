/**
 * Sends refusals without waiting for the request's body. The rest of the body is discarded, and the connection ends
 * once it has come or a few seconds are over. If it closed at once, the caller's system would drop an answer that it
 * has not read.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Refusal } from '@countersign/core/errors.js';
import { errorBody, refusalHead, sendRefusal } from './error-response.js';
import { writeJsonHead } from './send-json.js';

const LINGER_MS = 5_000;

/** A request that has come whole keeps its connection. Resolves once the answer is on its way. */
export async function sendEarlyRefusal(response: ServerResponse, refusal: Refusal): Promise<void> {
  const { req: request } = response;
  request.resume();
  if (!request.complete) await nextTurn();
  if (request.complete) return sendRefusal(response, refusal);
  if (response.socket?.writable !== true) return; // it broke off, or was answered as malformed
  response.setHeader('connection', 'close');
  response.write(writeJsonHead(response, refusalHead(response, refusal), errorBody(refusal)));
  const timer = setTimeout(() => response.end(), LINGER_MS);
  request.once('end', () => response.end());
  response.once('close', () => clearTimeout(timer));
}
