/** The Prefer header (RFC 7240): how long a caller wants to wait before it gets a 202. */
import type { IncomingMessage } from 'node:http';

const MAX_WAIT_S = 30;

/** Milliseconds. Anything malformed is ignored, as the RFC asks. */
export function preferredWaitMs(request: IncomingMessage, defaultMs: number): number {
  const header = request.headers['prefer'];
  if (header === undefined) return defaultMs;
  const preferences = String(header)
    .split(/[,;]/)
    .map((text) => text.trim().toLowerCase());
  const wait = preferences.flatMap((text) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(text)?.[1] ?? [])[0];
  if (wait !== undefined) return Math.min(Number(wait), MAX_WAIT_S) * 1_000;
  return preferences.includes('respond-async') ? 0 : defaultMs;
}
