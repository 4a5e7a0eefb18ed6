/**
 * Who sent a request to OKX: HMAC-SHA256 in base64 over timestamp, method, path with query, and body; the passphrase
 * stands beside it. The timestamp is ISO 8601 with milliseconds and good for 30 s (okx.com/docs-v5, "REST
 * Authentication").
 */
import { hmac, isBase64 } from '../signature-checks.js';
import type { Parameters, VenueAccount, WireRequest } from '../simulated-venue.js';

export interface OkxRefusal {
  readonly status: number;
  readonly code: string;
  readonly msg: string;
}

const GOOD_FOR_MS = 30_000;

function refused(code: string, msg: string): OkxRefusal {
  return { status: 401, code, msg };
}

export function authenticate(
  { method, path, query, body, headers }: WireRequest,
  accounts: readonly VenueAccount[],
  now: number,
): VenueAccount | OkxRefusal {
  const apiKey = headers['ok-access-key'];
  if (apiKey === undefined)
    return refused('50103', 'Request header OK-ACCESS-KEY can not be empty.');
  const account = accounts.find((one) => one.apiKey === apiKey);
  if (account?.secret === undefined) return refused('50111', 'Invalid OK-ACCESS-KEY.');
  const timestamp = headers['ok-access-timestamp'] ?? '';
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp)) {
    return refused('50112', 'Invalid OK-ACCESS-TIMESTAMP.');
  }
  if (Math.abs(now - Date.parse(timestamp)) > GOOD_FOR_MS) {
    return refused('50102', 'Timestamp request expired.');
  }
  if (headers['ok-access-passphrase'] !== account.passphrase) {
    return refused('50105', 'Request header OK-ACCESS-PASSPHRASE incorrect.');
  }
  const target = query === '' ? path : `${path}?${query}`;
  const expected = hmac('sha256', account.secret, `${timestamp}${method}${target}${body}`);
  return isBase64(headers['ok-access-sign'] ?? '', expected)
    ? account
    : refused('50113', 'Invalid Sign.');
}

/** A login on a WebSocket, whose time is in seconds (okx.com/docs-v5, "WebSocket", "Login"). */
export function authenticateLogin(
  { apiKey, passphrase, timestamp = '', sign = '' }: Parameters,
  accounts: readonly VenueAccount[],
  now: number,
): VenueAccount | OkxRefusal {
  const account = accounts.find((one) => one.apiKey === apiKey);
  if (account?.secret === undefined) return refused('60005', 'Invalid apiKey');
  if (!/^\d{10}$/.test(timestamp)) return refused('60004', 'Invalid timestamp');
  if (Math.abs(now - Number(timestamp) * 1_000) > GOOD_FOR_MS) {
    return refused('60006', 'Timestamp request expired');
  }
  if (passphrase !== account.passphrase) return refused('60024', 'Wrong passphrase');
  const expected = hmac('sha256', account.secret, `${timestamp}GET/users/self/verify`);
  return isBase64(sign, expected) ? account : refused('60007', 'Invalid sign');
}
