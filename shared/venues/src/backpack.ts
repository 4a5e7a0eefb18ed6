/**
 * Backpack. Ed25519 keys (base64 seed). Signed: `instruction=X&<parameters sorted by name>&timestamp=ms &window=ms`;
 * the list of a batch of orders repeats the instruction for each of them. Neither method nor path is signed, but the
 * instruction names the operation. The vault takes it from its own table, so an endpoint that is not in the table
 * cannot be signed for at all.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';
import { writtenText } from '@countersign/core/written-json.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { endpointName } from './engine/endpoint-table.js';
import { jsonBody, type JsonObject } from './engine/request-body.js';
import { invalid, type Parameter } from './engine/wire-form.js';
import {
  BACKPACK_ENDPOINTS,
  BACKPACK_FIELDS,
  BACKPACK_INSTRUCTIONS,
} from './tables/backpack-endpoints.js';
import type { VenueKey } from './engine/venue.js';

/** How long the venue accepts a request after its timestamp: its default. */
const WINDOW_MS = 5000;

export const BACKPACK = defineVenue({
  id: 'backpack',
  displayName: 'Backpack',
  schemes: { ed25519: 'ed25519' },
  hmacSecretEncodings: [],
  endpoints: BACKPACK_ENDPOINTS,
  fields: BACKPACK_FIELDS,
  termNames: {
    order_type: 'orderType',
    price: 'price',
    trigger_price: 'triggerPrice',
    client_id: 'clientId',
  },
  binds: { rest: ['query', 'body', 'time'], ws: ['session'] },
  // the signed instruction stands for method and path
  unsignedParts: 'none',
  ownedParameters: ['instruction', 'timestamp', 'window', 'signature'],
  readBody: jsonBody,
  prepare,
});

type Values = readonly Parameter[];

/** Each of these is the same, percent-encoded or not. */
const UNAMBIGUOUS = /^[A-Za-z0-9._~-]*$/;
/** Prints as it was stated, wherever it is read. */
const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,14})$/;

function prepare(checked: CheckedRequest, key: VenueKey): ComposeAt | Refusal {
  const { request, endpoint } = checked;
  if (endpoint === undefined) return invalid('this endpoint has no instruction in the table');
  if (request.channel === 'ws') {
    return request.body === '' ? prepareLogin(key) : invalid('a login has no body');
  }
  const instruction = BACKPACK_INSTRUCTIONS.get(endpointName(endpoint)) ?? '';
  const entries = readEntries(checked);
  if (isRefusal(entries)) return entries;
  const signed = entries
    .map((values) => [`instruction=${instruction}`, ...sorted(values)].join('&'))
    .join('&');
  return (moment) => ({
    message: Buffer.from(`${signed}&timestamp=${moment.at}&window=${WINDOW_MS}`),
    finish: (signature) => ({
      method: request.method,
      path: request.path,
      query: request.query,
      headers: {
        'X-Timestamp': String(moment.at),
        'X-Window': String(WINDOW_MS),
        'X-API-Key': key.apiKey,
        'X-Signature': toBase64(signature),
        ...(request.method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
      },
      body: request.body,
    }),
  });
}

function sorted(values: Values): string[] {
  return [...values]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, value }) => `${name}=${value}`);
}

/** One list of values per order. The venue has parameters in the query or in the body, never in both. */
function readEntries({ query, body }: CheckedRequest): readonly Values[] | Refusal {
  if (body.kind !== 'empty' && query.length > 0) {
    return invalid('parameters stand either in the query or in the body');
  }
  const entries: Values[] = [];
  for (const object of body.kind === 'json_list' ? body.items : [bodyOrQuery(body, query)]) {
    const values = valuesOf(object);
    if (isRefusal(values)) return values;
    entries.push(values);
  }
  return entries;
}

function bodyOrQuery(body: CheckedRequest['body'], query: Values): JsonObject {
  if (body.kind === 'json') return body.object;
  return Object.fromEntries(query.map(({ name, value }) => [name, value]));
}

/**
 * Values in their signed form. 422 for one that would read differently there: a character that separates parameters or
 * would be percent-encoded, or a number that does not print as it was stated.
 */
function valuesOf(object: JsonObject): Values | Refusal {
  const values: Parameter[] = [];
  for (const [name, value] of Object.entries(object)) {
    const text = textOf(value);
    if (!/^[A-Za-z0-9]+$/.test(name) || text === undefined || !UNAMBIGUOUS.test(text)) {
      return invalid(`${quoteName(name)} has a value that cannot be signed unambiguously`);
    }
    values.push({ name, value: text });
  }
  return values;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const text = writtenText(value);
  return text !== undefined && WHOLE_NUMBER.test(text) ? text : undefined;
}

/** The fields for `SUBSCRIBE` to private streams, in the order of its `signature` member. */
function prepareLogin(key: VenueKey): ComposeAt {
  return (moment) => ({
    message: Buffer.from(`instruction=subscribe&timestamp=${moment.at}&window=${WINDOW_MS}`),
    finish: (signature) => {
      const proof = toBase64(signature);
      const parts = [key.apiKey, proof, String(moment.at), String(WINDOW_MS)];
      return {
        method: 'subscribe',
        path: '',
        query: '',
        headers: {},
        body: JSON.stringify({ signature: parts }),
      };
    },
  });
}
