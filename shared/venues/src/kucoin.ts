/**
 * KuCoin, spot and futures. Signed: `ms ‖ METHOD ‖ path[?query] ‖ body`; key version 2, so the
 * passphrase travels as an HMAC of itself. There is no WebSocket login: `bullet-private` answers with
 * a bearer token. Partner signatures are made with another secret and are not part of this.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import type { Refusal } from '@countersign/core/errors.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { KUCOIN_ENDPOINTS, KUCOIN_FIELDS } from './tables/kucoin-endpoints.js';
import type { VenueKey } from './engine/venue.js';

export const KUCOIN = defineVenue({
  id: 'kucoin',
  displayName: 'KuCoin',
  schemes: { hmac: 'hmac_sha256' },
  hmacSecretEncodings: ['utf8'],
  passphrase: 'hmac_sha256',
  endpoints: KUCOIN_ENDPOINTS,
  fields: KUCOIN_FIELDS,
  termNames: {
    order_type: 'type orderType',
    price: 'price newPrice limitPrice',
    trigger_price: 'stopPrice triggerPrice',
    client_id: 'clientOid',
  },
  binds: { rest: ['method', 'path', 'query', 'body', 'time'] },
  unsignedParts: 'none',
  ownedParameters: [
    'KC-API-KEY',
    'KC-API-SIGN',
    'KC-API-TIMESTAMP',
    'KC-API-PASSPHRASE',
    'KC-API-KEY-VERSION',
  ],
  repeatsQueryInBody: true,
  readBody: jsonBody,
  check,
  prepare,
});

/**
 * The venue does not say whether it checks the query as sent or percent-decoded, so a query that reads differently in
 * the two forms is refused. An encoded comma separates no parameters in either, and a read changes nothing.
 */
function check({ request, endpoint }: CheckedRequest): Refusal | undefined {
  const isRead = endpoint?.operationClass === 'read';
  const query = isRead ? request.query.replaceAll('%2C', ',') : request.query;
  return query.includes('%')
    ? invalid('a query for KuCoin has no percent-encoded characters')
    : undefined;
}

function prepare({ request }: CheckedRequest, key: VenueKey): ComposeAt {
  const { method, path, query, body } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return (moment) => {
    const timestamp = String(moment.at);
    return {
      message: Buffer.from(timestamp + method + target + body),
      finish: (signature, passphrase) => ({
        method,
        path,
        query,
        headers: {
          'KC-API-KEY-VERSION': '2',
          'KC-API-KEY': key.apiKey,
          'KC-API-TIMESTAMP': timestamp,
          'KC-API-PASSPHRASE': passphrase,
          'KC-API-SIGN': toBase64(signature),
          ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
        },
        body,
      }),
    };
  };
}
