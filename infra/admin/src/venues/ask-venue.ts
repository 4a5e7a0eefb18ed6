/** Sends a request that the vault signed to its venue. The answer is bounded, and redirects are not followed. */
import { RefusedError } from '../tool/command.js';
import { printable } from '../tool/output.js';

export interface SignedVenueRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ANSWER_WITHIN_MS = 10_000;
const MAX_BYTES = 64 * 1_024;
/** Characters of a refusal. */
const MAX_TOLD = 500;

/** The JSON of the answer. Throws RefusedError, in which nothing is of the request but what the venue repeats. */
export async function askVenue(
  baseUrl: URL,
  { method, path, query, headers }: SignedVenueRequest,
): Promise<unknown> {
  const url = new URL(query === '' ? path : `${path}?${query}`, baseUrl.origin);
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const response = await fetch(url, { method, headers, redirect: 'error', signal }).catch(
    (error: unknown) => {
      const { name } = error as Error;
      throw new RefusedError(`${url.host} cannot be asked: ${name}`);
    },
  );
  const text = await readBounded(response, url.host);
  if (!response.ok) {
    const said = printable(text.slice(0, MAX_TOLD));
    throw new RefusedError(`${url.host} answered ${response.status}: ${said}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedError(`${url.host} answered no JSON`);
  }
}

async function readBounded({ body }: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new RefusedError(`${host} answered too much`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
