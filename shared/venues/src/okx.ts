/**
 * OKX v5. Formula: the venue's documents and ccxt. Time, method, path, query and body are signed; the
 * host and the passphrase are not.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { Venue, VenueKey } from './engine/venue.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { OKX_ORDER_FIELDS } from './tables/okx-orders.js';
import { OKX_ENDPOINTS } from './tables/okx-endpoints.js';

export const OKX: Venue = defineVenue({
  id: 'okx',
  displayName: 'OKX',
  schemes: { hmac: 'hmac_sha256' },
  hmacSecretEncodings: ['utf8'],
  passphrase: 'plain',
  endpoints: OKX_ENDPOINTS,
  fields: OKX_ORDER_FIELDS,
  termNames: {
    order_type: 'ordType',
    price: 'px newPx orderPx newOrdPx',
    trigger_price: 'triggerPx newTriggerPx activePx newActivePx',
    client_id: 'clOrdId algoClOrdId',
  },
  binds: { rest: ['method', 'path', 'query', 'body', 'time'], ws: ['time', 'session'] },
  sessionBinds: ['time', 'session'],
  unsignedParts: 'none',
  ownedParameters: [],
  takesEmptyForAbsent: true,
  readBody: jsonBody,
  check,
  prepare: (checked, key) =>
    checked.request.channel === 'ws' ? prepareLogin(checked, key) : prepareRest(checked, key),
});

function check({ request, body }: CheckedRequest): Refusal | undefined {
  if (request.method === 'GET' && request.body !== '') {
    return invalid('a GET request at OKX has no body');
  }
  const entries =
    body.kind === 'json_list' ? body.items : body.kind === 'json' ? [body.object] : [];
  // this number takes precedence over instId, and no rule could read the instrument from it
  return entries.some((entry) => Object.hasOwn(entry, 'instIdCode'))
    ? invalid('name the instrument by instId, not by instIdCode')
    : undefined;
}

function prepareRest({ request }: CheckedRequest, key: VenueKey): ComposeAt {
  const target = request.query === '' ? request.path : `${request.path}?${request.query}`;
  return ({ at }) => {
    const timestamp = new Date(at).toISOString();
    return {
      message: Buffer.from(`${timestamp}${request.method}${target}${request.body}`),
      finish: (signature, passphrase) => ({
        method: request.method,
        path: request.path,
        query: request.query,
        headers: {
          'OK-ACCESS-KEY': key.apiKey,
          'OK-ACCESS-PASSPHRASE': passphrase,
          'OK-ACCESS-TIMESTAMP': timestamp,
          'OK-ACCESS-SIGN': toBase64(signature),
          ...(request.method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
        },
        body: request.body,
      }),
    };
  };
}

/** Seconds here, ISO 8601 on REST. */
function prepareLogin(
  { request, endpoint, body }: CheckedRequest,
  key: VenueKey,
): ComposeAt | Refusal {
  if (endpoint === undefined || (body.kind === 'json' && Object.keys(body.object).length > 0)) {
    return invalid('the only signed WebSocket request is login, without parameters');
  }
  return ({ at }) => {
    const timestamp = String(Math.floor(at / 1000));
    return {
      message: Buffer.from(`${timestamp}GET/users/self/verify`),
      finish: (signature, passphrase) => ({
        method: request.method,
        path: '',
        query: '',
        headers: {},
        body: JSON.stringify({
          op: 'login',
          args: [{ apiKey: key.apiKey, passphrase, timestamp, sign: toBase64(signature) }],
        }),
      }),
    };
  };
}
