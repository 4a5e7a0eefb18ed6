/**
 * Bitfinex v2. Every private call is a POST with a JSON body; signed: `/api/v2/auth/... ‖ nonce ‖ body`, where the
 * path sent lacks the leading `/api`. Method and query are not signed: the method is always POST and the query always
 * empty. Path and nonce are joined without a boundary, so a path that is not in the table may not end in a digit. The
 * venue could read that digit as the first of the nonce, and the rest as a withdrawal. A WebSocket login signs `AUTH ‖
 * nonce` and opens the whole key.
 */
import { toHex } from '@countersign/core/bytes.js';
import type { Refusal } from '@countersign/core/errors.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { BITFINEX_ENDPOINTS, BITFINEX_FIELDS } from './tables/bitfinex-endpoints.js';
import type { VenueKey } from './engine/venue.js';

export const BITFINEX = defineVenue({
  id: 'bitfinex',
  displayName: 'Bitfinex',
  schemes: { hmac: 'hmac_sha384' },
  hmacSecretEncodings: ['utf8'],
  nonce: 'us',
  endpoints: BITFINEX_ENDPOINTS,
  fields: BITFINEX_FIELDS,
  termNames: {
    order_type: 'type',
    price: 'price price_aux_limit',
    client_id: 'cid',
  },
  binds: { rest: ['path', 'body', 'nonce'], ws: ['session'] },
  unsignedParts: 'method',
  ownedParameters: [
    'apiKey',
    'authSig',
    'authNonce',
    'authPayload',
    'authToken',
    'bfx-nonce',
    'bfx-apikey',
    'bfx-signature',
  ],
  readBody: jsonBody,
  check,
  prepare: (checked, key) =>
    checked.request.channel === 'ws' ? prepareLogin(checked, key) : prepareRest(checked, key),
});

function check({ request, endpoint }: CheckedRequest): Refusal | undefined {
  if (request.channel === 'ws') {
    return endpoint === undefined ? invalid('on ws the method is auth') : undefined;
  }
  if (request.method !== 'POST') return invalid('requests to Bitfinex are sent by POST');
  if (endpoint === undefined && /[0-9]$/.test(request.path)) {
    return invalid('a path that is not in the table may not end in a digit: the nonce follows it');
  }
  return request.query === ''
    ? undefined
    : invalid('Bitfinex does not sign the query: parameters go in the body');
}

function prepareRest({ request }: CheckedRequest, key: VenueKey): ComposeAt {
  return (moment) => {
    const nonce = String(moment.nonce);
    return {
      message: Buffer.from(`/api${request.path}${nonce}${request.body}`),
      finish: (signature) => ({
        method: request.method,
        path: request.path,
        query: '',
        headers: {
          'bfx-nonce': nonce,
          'bfx-apikey': key.apiKey,
          'bfx-signature': toHex(signature),
          'Content-Type': 'application/json',
        },
        body: request.body,
      }),
    };
  };
}

function prepareLogin({ body }: CheckedRequest, key: VenueKey): ComposeAt {
  const stated = body.kind === 'json' ? body.object : {};
  return (moment) => {
    const payload = `AUTH${moment.nonce}`;
    return {
      message: Buffer.from(payload),
      finish: (signature) => ({
        method: 'auth',
        path: '',
        query: '',
        headers: {},
        body: JSON.stringify({
          ...stated,
          apiKey: key.apiKey,
          authSig: toHex(signature),
          // µs since the epoch: a safe integer for two centuries
          authNonce: Number(moment.nonce),
          authPayload: payload,
          event: 'auth',
        }),
      }),
    };
  };
}
