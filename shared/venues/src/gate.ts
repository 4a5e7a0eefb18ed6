/**
 * Gate API v4. Signed: `METHOD\npath\nquery\nhex(SHA512(body))\nseconds`, the query percent-decoded
 * while the URL carries it encoded, the hash of an empty body included. The secret is used as text.
 */
import { toHex } from '@countersign/core/bytes.js';
import { createHash } from 'node:crypto';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody, parseJson, type RequestBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { GATE_FIELDS } from './tables/gate-trades.js';
import { GATE_ENDPOINTS } from './tables/gate-endpoints.js';
import type { VenueKey, VenueRequest } from './engine/venue.js';

export const GATE = defineVenue({
  id: 'gate',
  displayName: 'Gate',
  schemes: { hmac: 'hmac_sha512' },
  hmacSecretEncodings: ['utf8'],
  endpoints: GATE_ENDPOINTS,
  fields: GATE_FIELDS,
  termNames: {
    order_type: 'type',
    price: 'price',
    client_id: 'text amend_text',
  },
  binds: { rest: ['method', 'path', 'query', 'body', 'time'], ws: ['session'] },
  unsignedParts: 'none',
  ownedParameters: ['auth', 'sign', 'signature', 'timestamp', 'api_key', 'req_id'],
  repeatsQueryInBody: true,
  readBody,
  check,
  prepare: (checked, key) => {
    if (checked.request.channel === 'rest') return prepareRest(checked, key);
    return checked.request.method.endsWith('.login')
      ? prepareLogin(checked.request.method, key)
      : prepareSubscription(checked, key);
  },
});

/** JSON; cancelling futures orders in a batch takes a list of order numbers. */
function readBody(raw: string, request: VenueRequest): RequestBody | Refusal {
  if (!request.path.endsWith('/batch_cancel_orders')) return jsonBody(raw);
  const parsed = parseJson(raw);
  if (isRefusal(parsed)) return parsed;
  return Array.isArray(parsed.json) && parsed.json.every((id) => typeof id === 'string')
    ? { kind: 'json_list', items: [] }
    : invalid('the body must be a list of order numbers as strings');
}

function check(checked: CheckedRequest): Refusal | undefined {
  const { request, endpoint, body } = checked;
  if (request.channel === 'rest') return checkQuery(checked);
  if (endpoint === undefined) {
    return invalid('on ws the method is spot.login, futures.login, subscribe or unsubscribe');
  }
  if (request.method.endsWith('.login')) {
    return body.kind === 'empty' ? undefined : invalid('a login has no body');
  }
  return body.kind === 'json' && typeof body.object['channel'] === 'string'
    ? undefined
    : invalid('a subscription names its channel: {"channel": "spot.orders", "payload": [...]}');
}

/**
 * The signature covers the decoded query: with `&` or `=` in a value it would be equally valid for
 * other parameters.
 */
function checkQuery({ query }: CheckedRequest): Refusal | undefined {
  return query.some(({ name, value }) => /[&=#%+?]/.test(value) || name.includes('['))
    ? invalid('a value in the query has a character that its signature leaves ambiguous')
    : undefined;
}

function prepareRest({ request, query }: CheckedRequest, key: VenueKey): ComposeAt {
  const decoded = query.map(({ name, value }) => `${name}=${value}`).join('&');
  return (moment) => {
    // hash only what is signed: whoever plans a request for reading may have no such hash
    const bodyHash = createHash('sha512').update(request.body).digest('hex');
    const seconds = String(Math.floor(moment.at / 1000));
    const lines = [request.method, request.path, decoded, bodyHash, seconds];
    return {
      message: Buffer.from(lines.join('\n')),
      finish: (signature) => ({
        method: request.method,
        path: request.path,
        query: request.query,
        headers: {
          KEY: key.apiKey,
          Timestamp: seconds,
          SIGN: toHex(signature),
          'Content-Type': 'application/json',
        },
        body: request.body,
      }),
    };
  };
}

/** Opens a WebSocket connection for trading: `api\nchannel\nparameters\nseconds`. */
function prepareLogin(channel: string, key: VenueKey): ComposeAt {
  return (moment) => {
    const seconds = Math.floor(moment.at / 1000);
    return {
      message: Buffer.from(`api\n${channel}\n{}\n${seconds}`),
      finish: (signature) => {
        const payload = {
          req_id: moment.requestId,
          timestamp: String(seconds),
          api_key: key.apiKey,
          signature: toHex(signature),
          req_param: {},
        };
        const message = { id: moment.requestId, time: seconds, channel, event: 'api', payload };
        return wsMessage(channel, message);
      },
    };
  };
}

/** A private channel: `channel=..&event=..&time=..`; the payload is not signed. */
function prepareSubscription({ request, body }: CheckedRequest, key: VenueKey): ComposeAt {
  const stated = body.kind === 'json' ? body.object : {};
  const event = request.method;
  return (moment) => {
    const seconds = Math.floor(moment.at / 1000);
    return {
      message: Buffer.from(`channel=${String(stated['channel'])}&event=${event}&time=${seconds}`),
      finish: (signature) => {
        const sign = toHex(signature);
        const auth = { method: 'api_key', KEY: key.apiKey, SIGN: sign };
        return wsMessage(event, { ...stated, time: seconds, event, auth });
      },
    };
  };
}

function wsMessage(method: string, message: object) {
  return { method, path: '', query: '', headers: {}, body: JSON.stringify(message) };
}
