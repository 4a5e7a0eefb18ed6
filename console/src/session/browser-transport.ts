/** Requests to the gateway that served this page, and to nobody else. */
import {
  ExchangeError,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from '@countersign/client/transport.js';

/** Longer than the longest wait that a request may prefer (30 s). */
const TIMEOUT_MS = 40_000;

/** No cookie goes with them and no redirect is followed: a request carries what was signed, where it was signed for. */
export const browserTransport = createTransport('omit');

/** The same, and the browser keeps the cookie that an answer sets: for what a navigation is to be let in to. */
export const cookieTransport = createTransport('same-origin');

function createTransport(credentials: RequestCredentials): Transport {
  return {
    exchange: (request) => exchange(request, credentials),
    close: () => undefined,
  };
}

function headersOf({ headers }: Response): WireAnswer['headers'] {
  return Object.fromEntries(headers) as WireAnswer['headers'];
}

async function exchange(
  { method, target, headers, body, timeoutMs = TIMEOUT_MS }: WireRequest,
  credentials: RequestCredentials,
): Promise<WireAnswer> {
  try {
    const response = await fetch(target, {
      method,
      headers,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
      credentials,
      redirect: 'error',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(Math.min(timeoutMs, TIMEOUT_MS)),
    });
    const text = await response.text();
    return { status: response.status, headers: headersOf(response), text };
  } catch {
    throw new ExchangeError('unreachable', 'the vault did not answer');
  }
}
