/**
 * Bitget. Signed: `ms ‖ METHOD ‖ path[?query] ‖ body`, the query sorted by name and percent-decoded;
 * it is sent in the same order, percent-encoded as stated (bitget.com/api-doc, common/signature). A
 * WebSocket login signs `seconds ‖ GET/user/verify`. HMAC keys alone: the venue's RSA keys come with a
 * passphrase too, and the vault keeps one only inside a split secret.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import type { Refusal } from '@countersign/core/errors.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { BITGET_ACCOUNT } from './tables/bitget-account.js';
import { BITGET_FIELDS, BITGET_TRADES } from './tables/bitget-trades.js';
import type { VenueKey } from './engine/venue.js';

export const BITGET = defineVenue({
  id: 'bitget',
  displayName: 'Bitget',
  schemes: { hmac: 'hmac_sha256' },
  hmacSecretEncodings: ['utf8'],
  passphrase: 'plain',
  endpoints: [...BITGET_ACCOUNT, ...BITGET_TRADES],
  fields: BITGET_FIELDS,
  termNames: {
    order_type: 'orderType',
    price: 'price executePrice newPrice',
    trigger_price: 'triggerPrice newTriggerPrice',
    client_id: 'clientOid newClientOid',
  },
  binds: { rest: ['method', 'path', 'query', 'body', 'time'], ws: ['session'] },
  unsignedParts: 'none',
  ownedParameters: ['ACCESS-KEY', 'ACCESS-SIGN', 'ACCESS-TIMESTAMP', 'ACCESS-PASSPHRASE'],
  readBody: jsonBody,
  check,
  prepare: (checked, key) =>
    checked.request.channel === 'ws' ? prepareLogin(key) : prepareRest(checked, key),
});

/**
 * The signature covers the decoded query: with `&` or `=` in a value it would be equally valid for
 * other parameters.
 */
function check({ request, query, endpoint }: CheckedRequest): Refusal | undefined {
  if (request.channel === 'ws') {
    return endpoint === undefined || request.body !== ''
      ? invalid('on ws the method is login, without a body')
      : undefined;
  }
  return query.some(({ name, value }) => /[&=#%+?]/.test(value) || name.includes('['))
    ? invalid('a value in the query has a character that its signature leaves ambiguous')
    : undefined;
}

function prepareRest({ request, query }: CheckedRequest, key: VenueKey): ComposeAt {
  const { method, path, body } = request;
  const raw = request.query.split('&');
  const sorted = query
    .map(({ name, value }, at) => ({ name, decoded: `${name}=${value}`, raw: raw[at] ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const decoded = sorted.map((part) => part.decoded).join('&');
  const target = decoded === '' ? path : `${path}?${decoded}`;
  return (moment) => {
    const timestamp = String(moment.at);
    return {
      message: Buffer.from(timestamp + method + target + body),
      finish: (signature, passphrase) => ({
        method,
        path,
        query: sorted.map((part) => part.raw).join('&'),
        headers: {
          'ACCESS-KEY': key.apiKey,
          'ACCESS-SIGN': toBase64(signature),
          'ACCESS-TIMESTAMP': timestamp,
          'ACCESS-PASSPHRASE': passphrase,
          ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
        },
        body,
      }),
    };
  };
}

function prepareLogin(key: VenueKey): ComposeAt {
  return (moment) => {
    const timestamp = String(Math.floor(moment.at / 1000));
    return {
      message: Buffer.from(`${timestamp}GET/user/verify`),
      finish: (signature, passphrase) => {
        const sign = toBase64(signature);
        const args = [{ apiKey: key.apiKey, passphrase, timestamp, sign }];
        return {
          method: 'login',
          path: '',
          query: '',
          headers: {},
          body: JSON.stringify({ op: 'login', args }),
        };
      },
    };
  };
}
