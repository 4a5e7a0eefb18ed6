/**
 * Who sent a request to Binance, by the rules of its spot API: header `X-MBX-APIKEY`; the signature is the parameter
 * `signature` over query and body joined without anything between them; `timestamp` and `recvWindow` are in
 * milliseconds (github.com/binance/binance-spot-api-docs, rest-api.md, "SIGNED request security").
 */
import { hmac, isHex, isSignedBy } from '../signature-checks.js';
import {
  readForm,
  type Parameters,
  type VenueAccount,
  type WireRequest,
} from '../simulated-venue.js';

export interface BinanceRefusal {
  readonly status: number;
  readonly code: number;
  readonly msg: string;
}

export interface BinanceCall {
  readonly account: VenueAccount;
  readonly parameters: Parameters;
}

const DEFAULT_WINDOW_MS = 5_000;
const MAX_WINDOW_MS = 60_000;
/** How far a caller's clock may be ahead. */
const AHEAD_MS = 1_000;

const SIGNATURE = /(?:^|&)signature=([^&]*)/;

export function refused(code: number, msg: string, status = 400): BinanceRefusal {
  return { status, code, msg };
}

export function authenticate(
  request: WireRequest,
  accounts: readonly VenueAccount[],
  now: number,
): BinanceCall | BinanceRefusal {
  const apiKey = request.headers['x-mbx-apikey'];
  if (apiKey === undefined) return refused(-2014, 'API-key format invalid.', 401);
  const account = accounts.find((one) => one.apiKey === apiKey);
  if (account === undefined) {
    return refused(-2015, 'Invalid API-key, IP, or permissions for action.', 401);
  }
  const parameters = { ...readForm(request.query), ...readForm(request.body) };
  return findFault(request, account, parameters, now) ?? { account, parameters };
}

function findFault(
  { query, body }: WireRequest,
  account: VenueAccount,
  parameters: Parameters,
  now: number,
): BinanceRefusal | undefined {
  const { timestamp, recvWindow = String(DEFAULT_WINDOW_MS) } = parameters;
  if (timestamp === undefined || !/^\d{13}$/.test(timestamp)) {
    return refused(
      -1102,
      "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed.",
    );
  }
  const windowMs = Number(recvWindow);
  if (!(windowMs > 0 && windowMs <= MAX_WINDOW_MS)) {
    return refused(-1131, 'recvWindow must be less than 60000.');
  }
  const at = Number(timestamp);
  if (at >= now + AHEAD_MS) {
    return refused(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  }
  if (now - at > windowMs) {
    return refused(-1021, 'Timestamp for this request is outside of the recvWindow.');
  }
  const signature = SIGNATURE.exec(query)?.[1] ?? SIGNATURE.exec(body)?.[1];
  if (signature === undefined) {
    return refused(
      -1102,
      "Mandatory parameter 'signature' was not sent, was empty/null, or malformed.",
    );
  }
  const signed = query.replace(SIGNATURE, '') + body.replace(SIGNATURE, '');
  return isGenuine(account, signed, decodeURIComponent(signature))
    ? undefined
    : refused(-1022, 'Signature for this request is not valid.');
}

function isGenuine(
  { secret, publicKey }: VenueAccount,
  signed: string,
  signature: string,
): boolean {
  if (publicKey !== undefined) {
    return isSignedBy(publicKey, signed, Buffer.from(signature, 'base64'));
  }
  return secret !== undefined && isHex(signature, hmac('sha256', secret, signed));
}
