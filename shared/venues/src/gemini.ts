/**
 * Gemini. The caller states parameters as the JSON body of the request. They travel, with path and nonce, as base64
 * JSON in the header X-GEMINI-PAYLOAD; that text is signed, and the HTTP body is empty. The HTTP method is not signed,
 * so a path is accepted only with the one method that the venue has for it.
 *
 * A WebSocket of order events opens with the same headers for its own path, by GET.
 */
import { toHex } from '@countersign/core/bytes.js';
import type { Refusal } from '@countersign/core/errors.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { matchesTemplate } from './engine/endpoint-table.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { GEMINI_ENDPOINTS, GEMINI_FIELDS } from './tables/gemini-endpoints.js';
import type { VenueKey } from './engine/venue.js';

export const GEMINI = defineVenue({
  id: 'gemini',
  displayName: 'Gemini',
  schemes: { hmac: 'hmac_sha384' },
  hmacSecretEncodings: ['utf8'],
  nonce: 'ms',
  endpoints: GEMINI_ENDPOINTS,
  fields: GEMINI_FIELDS,
  termNames: {
    order_type: 'type',
    price: 'price',
    trigger_price: 'stop_price',
    client_id: 'client_order_id',
  },
  binds: { rest: ['path', 'body', 'nonce'] },
  unsignedParts: 'method',
  ownedParameters: ['request', 'nonce'],
  readBody: jsonBody,
  check,
  prepare,
});

/**
 * A signature for one method is as good for another. So a path of the table takes its own method only, and a path off
 * the table takes POST.
 */
function check({ request, body, endpoint }: CheckedRequest): Refusal | undefined {
  const isOtherMethod =
    endpoint === undefined &&
    (request.method !== 'POST' ||
      GEMINI_ENDPOINTS.some(({ template }) => matchesTemplate(template, request.path)));
  if (isOtherMethod)
    return invalid('Gemini does not sign the method: use the one method that it has for this path');
  if (request.query !== '') {
    return invalid('Gemini does not sign the query: parameters go in the body');
  }
  return body.kind === 'json_list' ? invalid('the body must be a JSON object') : undefined;
}

function prepare({ request, body }: CheckedRequest, key: VenueKey): ComposeAt {
  const parameters = body.kind === 'json' ? request.body : '{}';
  return (moment) => {
    const owned = JSON.stringify({ request: request.path, nonce: String(moment.nonce) });
    const payload = Buffer.from(withParameters(owned, parameters)).toString('base64');
    return {
      message: Buffer.from(payload),
      finish: (signature) => ({
        method: request.method,
        path: request.path,
        query: '',
        headers: {
          'Content-Type': 'text/plain',
          'X-GEMINI-APIKEY': key.apiKey,
          'X-GEMINI-PAYLOAD': payload,
          'X-GEMINI-SIGNATURE': toHex(signature),
        },
        body: '',
      }),
    };
  };
}

/** Joins the members of two JSON objects, as text: a number keeps the digits that were stated. */
function withParameters(owned: string, parameters: string): string {
  const members = parameters.trim().slice(1, -1).trim();
  return members === '' ? owned : `${owned.slice(0, -1)},${members}}`;
}
