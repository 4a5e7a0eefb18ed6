/**
 * Who sent a request to Deribit: `deri-hmac-sha256 id=..,ts=..,sig=..,nonce=..`, HMAC-SHA256 in hex over
 * `ts\nnonce\nMETHOD\nURI\nbody\n`, ts in ms (docs.deribit.com, articles/authentication). A request is taken once. That two
 * requests have one nonce is no fault: ccxt's is the millisecond.
 */
import { hmac, isHex } from '../signature-checks.js';
import type { Parameters, VenueAccount, WireRequest } from '../simulated-venue.js';

const GOOD_FOR_MS = 60_000;
const FORM =
  /^deri-hmac-sha256 id=([^,]+),ts=(\d{13}),sig=([0-9a-fA-F]{64}),\s?nonce=([^,]{1,64})$/;

/** `seenRequests`: their signatures, with the moment they came; kept by the caller. */
export function authenticate(
  { method, path, query, headers, body }: WireRequest,
  accounts: readonly VenueAccount[],
  seenRequests: Map<string, number>,
  now: number,
): VenueAccount | undefined {
  const [, id = '', timestamp = '', signature = '', nonce = ''] =
    FORM.exec(headers['authorization'] ?? '') ?? [];
  const account = accounts.find(({ apiKey }) => apiKey === id);
  if (account?.secret === undefined) return undefined;
  if (Math.abs(now - Number(timestamp)) > GOOD_FOR_MS) return undefined;
  const uri = query === '' ? path : `${path}?${query}`;
  const signed = `${timestamp}\n${nonce}\n${method}\n${uri}\n${body}\n`;
  if (!isHex(signature, hmac('sha256', account.secret, signed))) return undefined;
  return isFirst(signature, seenRequests, now) ? account : undefined;
}

function isFirst(signature: string, seen: Map<string, number>, now: number): boolean {
  for (const [name, at] of seen) if (now - at > 2 * GOOD_FOR_MS) seen.delete(name);
  if (seen.has(signature)) return false;
  seen.set(signature, now);
  return true;
}

/** `public/auth` by client signature, over `ts\nnonce\ndata`. Taken once, as a request is. */
export function authenticateLogin(
  given: Parameters,
  accounts: readonly VenueAccount[],
  seenLogins: Map<string, number>,
  now: number,
): VenueAccount | undefined {
  const {
    grant_type: grant,
    client_id: id,
    timestamp = '',
    signature = '',
    nonce = '',
    data = '',
  } = given;
  const account = accounts.find(({ apiKey }) => apiKey === id);
  if (account?.secret === undefined || grant !== 'client_signature') return undefined;
  const isTimely = /^\d{13}$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= GOOD_FOR_MS;
  if (!isTimely) return undefined;
  const expected = hmac('sha256', account.secret, `${timestamp}\n${nonce}\n${data}`);
  return isHex(signature, expected) && isFirst(signature, seenLogins, now) ? account : undefined;
}
