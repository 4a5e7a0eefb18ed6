/**
 * Who sent a request to Bybit v5: HMAC-SHA256 in hex, or RSA-SHA256 in base64, over timestamp, API key, window and then
 * the query of a GET or the body of a POST (bybit-exchange.github.io/docs/v5/guide, "Authentication").
 */
import { hmac, isHex, isSignedBy } from '../signature-checks.js';
import type { VenueAccount, WireRequest } from '../simulated-venue.js';

export interface BybitRefusal {
  readonly retCode: number;
  readonly retMsg: string;
}

const DEFAULT_WINDOW_MS = '5000';
const AHEAD_MS = 1_000;

export function refused(retCode: number, retMsg: string): BybitRefusal {
  return { retCode, retMsg };
}

export function authenticate(
  { method, query, body, headers }: WireRequest,
  accounts: readonly VenueAccount[],
  now: number,
): VenueAccount | BybitRefusal {
  const apiKey = headers['x-bapi-api-key'];
  const timestamp = headers['x-bapi-timestamp'] ?? '';
  const window = headers['x-bapi-recv-window'] ?? DEFAULT_WINDOW_MS;
  const signature = headers['x-bapi-sign'] ?? '';
  const account = accounts.find((one) => one.apiKey === apiKey);
  if (account === undefined) return refused(10003, 'API key is invalid.');
  const at = Number(timestamp);
  if (!/^\d{13}$/.test(timestamp) || at < now - Number(window) || at >= now + AHEAD_MS) {
    return refused(
      10002,
      'invalid request, please check your server timestamp or recv_window param',
    );
  }
  const signed = `${timestamp}${account.apiKey}${window}${method === 'GET' ? query : body}`;
  return isGenuine(account, signed, signature)
    ? account
    : refused(10004, 'error sign! please check your signature generation algorithm.');
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

/** `auth` on a WebSocket: API key, a time in ms that is still to come, and the signature over it. */
export function authenticateLogin(
  [apiKey, expires = '', signature = '']: readonly string[],
  accounts: readonly VenueAccount[],
  now: number,
): VenueAccount | undefined {
  const account = accounts.find((one) => one.apiKey === apiKey);
  if (account === undefined || !/^\d{13}$/.test(expires) || Number(expires) <= now)
    return undefined;
  return isGenuine(account, `GET/realtime${expires}`, signature) ? account : undefined;
}
