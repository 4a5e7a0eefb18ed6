/**
 * Coinbase Advanced and the v2 wallet API, with CDP keys: a JWT per request (docs.cdp.coinbase.com,
 * API reference v2, authentication). Only Ed25519 keys: older keys on P-256 (ES256) need ECDSA, which
 * the vault does not offer.
 *
 * The JWT binds method, host and path for 120 s, and nothing of query and body: whoever holds it can
 * send another body with it, and more than once. So a request's class comes from method and path alone
 * and is the worst that any body could make of it.
 */
import { isRefusal } from '@countersign/core/errors.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { jsonBody } from './engine/request-body.js';
import { invalid } from './engine/wire-form.js';
import { COINBASE_ADVANCED_ENDPOINTS } from './tables/coinbase-advanced-endpoints.js';
import type { SigningMoment, Venue, VenueKey } from './engine/venue.js';
import type { VenueFacts } from './engine/venue-facts.js';

const HOST = 'api.coinbase.com';
/** A JWT that lives longer is refused by the venue. */
const JWT_LIFETIME_S = 120;

const UNBOUND =
  'Coinbase signs neither query nor body, so a signed request can be sent with others';

const venue = defineVenue({
  id: 'coinbase_advanced',
  displayName: 'Coinbase Advanced',
  schemes: { ed25519: 'ed25519' },
  hmacSecretEncodings: [],
  endpoints: COINBASE_ADVANCED_ENDPOINTS,
  fields: {},
  termNames: {},
  binds: { rest: ['method', 'host', 'path', 'time'], ws: ['session'] },
  unsignedParts: 'none',
  ownedParameters: ['jwt'],
  unbindable: {
    symbols: UNBOUND,
    sides: UNBOUND,
    amount: UNBOUND,
    quote_amount: UNBOUND,
    contracts: UNBOUND,
    destinations: UNBOUND,
  },
  // the body of a REST request is not read at all: a fact found in it would be no fact
  readBody: (raw, request) => (request.channel === 'ws' ? jsonBody(raw) : { kind: 'empty' }),
  check: ({ request, endpoint }) =>
    request.channel === 'ws' && endpoint === undefined
      ? invalid('on ws the method is subscribe or unsubscribe')
      : undefined,
  prepare,
});

export const COINBASE_ADVANCED: Venue = {
  ...venue,
  plan: (request, key) => {
    const plan = venue.plan(request, key);
    return isRefusal(plan) ? plan : { ...plan, facts: withUnboundFacts(plan.facts) };
  },
};

/** Unless it only reads, the symbols and amounts of a request are open until it is sent. */
function withUnboundFacts(facts: VenueFacts): VenueFacts {
  if (facts.operationClass === 'read' || facts.operationClass === 'session') return facts;
  return { ...facts, undecidable: ['symbols', 'sides', 'amount'] };
}

function prepare({ request, body }: CheckedRequest, key: VenueKey): ComposeAt {
  const uris =
    request.channel === 'rest' ? [`${request.method} ${HOST}${request.path}`] : undefined;
  return (moment) => {
    const unsigned = unsignedJwt(key.apiKey, uris, moment);
    return {
      message: Buffer.from(unsigned),
      finish: (signature) => {
        const jwt = `${unsigned}.${Buffer.from(signature).toString('base64url')}`;
        if (request.channel === 'ws') {
          const stated = body.kind === 'json' ? body.object : {};
          const message = { ...stated, type: request.method, jwt };
          return {
            method: request.method,
            path: '',
            query: '',
            headers: {},
            body: JSON.stringify(message),
          };
        }
        return {
          method: request.method,
          path: request.path,
          query: request.query,
          headers: { Authorization: `Bearer ${jwt}`, 'Content-Type': 'application/json' },
          body: request.body,
        };
      },
    };
  };
}

/** Header and claims in base64url. Without `uris` the token opens everything that the key may do. */
function unsignedJwt(
  keyName: string,
  uris: readonly string[] | undefined,
  moment: SigningMoment,
): string {
  const nowS = Math.floor(moment.at / 1000);
  const nonce = moment.requestId.replaceAll('-', '');
  const header = { alg: 'EdDSA', typ: 'JWT', kid: keyName, nonce };
  const claims = {
    aud: ['cdp_service'],
    iss: 'cdp',
    nbf: nowS,
    exp: nowS + JWT_LIFETIME_S,
    sub: keyName,
    iat: nowS,
    ...(uris === undefined ? {} : { uris }),
  };
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
}
