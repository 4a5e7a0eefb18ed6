/**
 * Deribit. REST is `GET` with everything in the query, also for orders and withdrawals; signed:
 * `ts\nnonce\nMETHOD\nURI\nbody\n`. A WebSocket session starts with `public/auth` and a
 * `client_signature` over `ts\nnonce\ndata` (docs.deribit.com, articles/authentication).
 *
 * Threat: the two formulas overlap. `data` is free text, so by the formulas a REST signature is also
 * one over a login whose `data` is the rest of the REST string. Whoever holds a signed request can try
 * to log in with it instead of sending it, within the seconds for which Deribit accepts the timestamp.
 * What may leave the account must therefore also be limited by the scope of the key at Deribit.
 */
import { toHex } from '@countersign/core/bytes.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { DERIBIT_ENDPOINTS, DERIBIT_FIELDS } from './tables/deribit-endpoints.js';
import type { SigningMoment, VenueKey } from './engine/venue.js';

export const DERIBIT = defineVenue({
  id: 'deribit',
  displayName: 'Deribit',
  schemes: { hmac: 'hmac_sha256' },
  hmacSecretEncodings: ['utf8'],
  endpoints: DERIBIT_ENDPOINTS,
  fields: DERIBIT_FIELDS,
  termNames: {
    order_type: 'type',
    price: 'price',
    trigger_price: 'trigger_price',
    client_id: 'label',
  },
  binds: { rest: ['method', 'path', 'query', 'body', 'time', 'nonce'], ws: ['session'] },
  unsignedParts: 'none',
  ownedParameters: [
    'access_token',
    'client_id',
    'client_secret',
    'data',
    'grant_type',
    'signature',
    'timestamp',
  ],
  readBody: jsonBody,
  check,
  prepare: (checked, key) =>
    checked.request.channel === 'ws' ? prepareLogin(key) : prepareRest(checked, key),
});

/**
 * A POST carries JSON-RPC with its own method name, which may differ from the path: two readings of
 * one request. GET does all that POST does.
 */
function check({ request, endpoint }: CheckedRequest) {
  if (request.body !== '') return invalid('requests to Deribit have no body');
  if (request.channel === 'rest') {
    return request.method === 'GET' ? undefined : invalid('requests to Deribit are sent by GET');
  }
  return endpoint === undefined ? invalid('on ws the method is public/auth') : undefined;
}

function nonceOf(moment: SigningMoment): string {
  return moment.requestId.replaceAll('-', '');
}

function prepareRest({ request }: CheckedRequest, key: VenueKey): ComposeAt {
  const { method, path, query } = request;
  const uri = query === '' ? path : `${path}?${query}`;
  return (moment) => {
    const nonce = nonceOf(moment);
    return {
      message: Buffer.from(`${moment.at}\n${nonce}\n${method}\n${uri}\n\n`),
      finish: (signature) => {
        const sig = toHex(signature);
        const authorization = `deri-hmac-sha256 id=${key.apiKey},ts=${moment.at},sig=${sig},nonce=${nonce}`;
        return { method, path, query, headers: { Authorization: authorization }, body: '' };
      },
    };
  };
}

function prepareLogin(key: VenueKey): ComposeAt {
  return (moment) => {
    const nonce = nonceOf(moment);
    const data = '';
    return {
      message: Buffer.from(`${moment.at}\n${nonce}\n${data}`),
      finish: (signature) => {
        const params = {
          grant_type: 'client_signature',
          client_id: key.apiKey,
          timestamp: moment.at,
          signature: toHex(signature),
          nonce,
          data,
        };
        const message = { jsonrpc: '2.0', id: moment.requestId, method: 'public/auth', params };
        return {
          method: 'public/auth',
          path: '',
          query: '',
          headers: {},
          body: JSON.stringify(message),
        };
      },
    };
  };
}
