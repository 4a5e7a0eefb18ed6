/**
 * Who sent a request to Kraken spot: HMAC-SHA512 in base64, with the decoded secret, over the path and
 * SHA-256(nonce ‖ body); a nonce must be above every one before (docs.kraken.com, guide "Spot REST Authentication").
 */
import { createHash } from 'node:crypto';
import { hmac, isBase64 } from '../signature-checks.js';
import { asText, plainParameters, readForm, readJson } from '../simulated-venue.js';
import type { Parameters, VenueAccount, WireRequest } from '../simulated-venue.js';

export interface KrakenCall {
  readonly account: string;
  readonly parameters: Parameters;
  /** The body as JSON, where it is. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** `lastNonces`: the highest of each API key, kept by the caller. */
export function authenticate(
  { path, headers, body: raw }: WireRequest,
  accounts: readonly VenueAccount[],
  lastNonces: Map<string, bigint>,
): KrakenCall | string {
  const account = accounts.find(({ apiKey }) => apiKey === headers['api-key']);
  if (account?.secret === undefined) return 'EAPI:Invalid key';
  const isJson = headers['content-type'] === 'application/json';
  const body = isJson ? readJson(raw) : readForm(raw);
  if (body === undefined) return 'EGeneral:Invalid arguments';
  const nonce = asText(body['nonce']) ?? '';
  if (!/^\d{1,19}$/.test(nonce)) return 'EAPI:Invalid nonce';
  const digest = createHash('sha256')
    .update(nonce + raw)
    .digest();
  const message = Buffer.concat([Buffer.from(path), digest]);
  const expected = hmac('sha512', Buffer.from(account.secret, 'base64'), message);
  if (!isBase64(headers['api-sign'] ?? '', expected)) return 'EAPI:Invalid signature';
  if (BigInt(nonce) <= (lastNonces.get(account.apiKey) ?? -1n)) return 'EAPI:Invalid nonce';
  lastNonces.set(account.apiKey, BigInt(nonce));
  return { account: account.name, parameters: plainParameters(body), body };
}
