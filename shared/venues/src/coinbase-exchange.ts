/**
 * Coinbase Exchange: base64 secret and a passphrase. Signed: `seconds ‖ METHOD ‖ path[?query] ‖ body`,
 * so everything a rule needs is bound.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import {
  COINBASE_EXCHANGE_ENDPOINTS,
  COINBASE_EXCHANGE_FIELDS,
} from './tables/coinbase-exchange-endpoints.js';
import type { VenueKey } from './engine/venue.js';

export const COINBASE_EXCHANGE = defineVenue({
  id: 'coinbase_exchange',
  displayName: 'Coinbase Exchange',
  schemes: { hmac: 'hmac_sha256' },
  hmacSecretEncodings: ['base64'],
  passphrase: 'plain',
  endpoints: COINBASE_EXCHANGE_ENDPOINTS,
  fields: COINBASE_EXCHANGE_FIELDS,
  termNames: {
    order_type: 'type',
    price: 'price stop_limit_price',
    trigger_price: 'stop_price',
    client_id: 'client_oid',
  },
  binds: { rest: ['method', 'path', 'query', 'body', 'time'], ws: ['session'] },
  unsignedParts: 'none',
  ownedParameters: ['signature', 'timestamp', 'passphrase', 'key'],
  readBody: jsonBody,
  check: ({ request, endpoint }) =>
    request.channel === 'ws' && endpoint === undefined
      ? invalid('on ws the method is subscribe or unsubscribe')
      : undefined,
  prepare: (checked, key) =>
    checked.request.channel === 'ws' ? prepareLogin(checked, key) : prepareRest(checked, key),
});

function prepareRest({ request }: CheckedRequest, key: VenueKey): ComposeAt {
  const { method, path, query, body } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return (moment) => {
    const seconds = String(Math.floor(moment.at / 1000));
    return {
      message: Buffer.from(seconds + method + target + body),
      finish: (signature, passphrase) => ({
        method,
        path,
        query,
        headers: {
          'CB-ACCESS-KEY': key.apiKey,
          'CB-ACCESS-SIGN': toBase64(signature),
          'CB-ACCESS-TIMESTAMP': seconds,
          'CB-ACCESS-PASSPHRASE': passphrase,
          'Content-Type': 'application/json',
        },
        body,
      }),
    };
  };
}

/** A feed login is a signed `GET /users/self/verify`; its parts go into the first message. */
function prepareLogin({ request, body }: CheckedRequest, key: VenueKey): ComposeAt {
  const stated = body.kind === 'json' ? body.object : {};
  return (moment) => {
    const seconds = Math.floor(moment.at / 1000);
    return {
      message: Buffer.from(`${seconds}GET/users/self/verify`),
      finish: (signature, passphrase) => ({
        method: request.method,
        path: '',
        query: '',
        headers: {},
        body: JSON.stringify({
          ...stated,
          type: request.method,
          timestamp: seconds,
          key: key.apiKey,
          signature: toBase64(signature),
          passphrase,
        }),
      }),
    };
  };
}
