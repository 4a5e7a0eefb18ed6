/**
 * Binance (spot, margin, wallet, futures, options, portfolio margin). Formulas: the venue's rest-api.md,
 * web-socket-api.md and fix-api.md.
 *
 * The signature covers query ‖ body and nothing else: neither method nor path, nor a boundary between the two. So
 * every parameter name must be in the table, and a request counts as the most severe thing that its parameters would
 * be accepted for. `GET /api/v3/order` by order id is worth a cancellation. WebSocket requests sign the same kind of
 * string, so they are compared with the same endpoints, and their values may not hold characters that would split into
 * more parameters.
 *
 * Limits: endpoints without required parameters cannot be told apart. Any signature of this key is good for:
 * enable/disableFastWithdrawSwitch, broker/subAccount, stock/contract, the automatic collections and repayments of
 * portfolio margin. Deny these by the key's own rights at the venue. Within a class nothing tells endpoints apart
 * either: what transfers an `amount` also stakes that much ETH or SOL. Whoever holds the text can cut a value short
 * and send the rest as the other container. `boundFacts` leaves symbols undecidable where that is known to name
 * another. The spot API says that it refuses left-over parameters.
 */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';
import type { Venue, VenueKey } from './engine/venue.js';
import { BINANCE_FIELDS, boundFacts, classesByName, mayNameAnAccount } from './binance-facts.js';
import { prepareFix, prepareRest, prepareWs, statedValue } from './binance-signing.js';
import { defineVenue, namesOf, type CheckedRequest } from './engine/define-venue.js';
import type { Endpoint } from './engine/endpoint-table.js';
import { formBodyWithLists, jsonBodyInAnyScript } from './engine/request-body.js';
import { createSuffixFinder } from './engine/suffixes.js';
import { invalid } from './engine/wire-form.js';
import { BINANCE_FUNDS } from './tables/binance-funds.js';
import { BINANCE_FUTURES } from './tables/binance-futures.js';
import { BINANCE_PORTFOLIO_MARGIN } from './tables/binance-portfolio-margin.js';
import { BINANCE_SESSIONS } from './tables/binance-sessions.js';
import { BINANCE_SPOT } from './tables/binance-spot.js';
import { BINANCE_WALLET } from './tables/binance-wallet.js';

const MAX_RECV_WINDOW_MS = 60_000;

/** Parameters that are JSON text of a list; some clients send it unencoded in a body. */
const LISTS: readonly string[] = [
  'batchOrders',
  'orders',
  'orderIdList',
  'orderidlist',
  'origClientOrderIdList',
  'origclientorderidlist',
];

const ENDPOINTS: readonly Endpoint[] = [
  ...BINANCE_SPOT,
  ...BINANCE_WALLET,
  ...BINANCE_FUNDS,
  ...BINANCE_FUTURES,
  ...BINANCE_PORTFOLIO_MARGIN,
  ...BINANCE_SESSIONS,
];

const CLASSES = classesByName(ENDPOINTS);

/** Every parameter name of the table, and those that the venue takes everywhere. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  'timestamp',
  'recvWindow',
  'signature',
  ...ENDPOINTS.flatMap(({ names }) =>
    names === undefined ? [] : [...names.required, ...names.anyOf.flat(), ...names.optional],
  ),
]);

const endsInKnown = createSuffixFinder(KNOWN_NAMES);

const ENDPOINTS_UNBOUND =
  'a Binance signature covers neither method nor path: it is valid at every endpoint that takes the ' +
  'same parameters; use operation classes, symbols, sides and amounts';

const VENUE = defineVenue({
  id: 'binance',
  displayName: 'Binance',
  schemes: { hmac: 'hmac_sha256', rsa: 'rsa_pkcs1_sha256', ed25519: 'ed25519' },
  hmacSecretEncodings: ['utf8'],
  // it is unencoded in the string that a WebSocket request signs
  apiKeyPattern: /^[A-Za-z0-9]+$/,
  endpoints: ENDPOINTS,
  fields: BINANCE_FIELDS,
  termNames: {
    order_type:
      'type workingType pendingType aboveType belowType pendingAboveType pendingBelowType',
    price:
      'price newPrice stopLimitPrice workingPrice pendingPrice abovePrice belowPrice pendingAbovePrice pendingBelowPrice',
    trigger_price:
      'stopPrice triggerPrice activationPrice aboveStopPrice belowStopPrice pendingStopPrice pendingAboveStopPrice pendingBelowStopPrice',
    client_id:
      'newClientOrderId listClientOrderId limitClientOrderId stopClientOrderId workingClientOrderId pendingClientOrderId aboveClientOrderId belowClientOrderId pendingAboveClientOrderId pendingBelowClientOrderId clientOrderId clientAlgoId',
  },
  binds: { rest: ['query', 'body', 'time'], ws: ['body', 'time'], fix: ['time', 'session'] },
  sessionBinds: ['time', 'session'],
  unsignedParts: 'method_and_path',
  fits,
  isLogin,
  ownedParameters: ['timestamp', 'signature', 'apiKey', 'SendingTime'],
  commonParameters: ['recvWindow'],
  unbindable: { endpoints: ENDPOINTS_UNBOUND },
  readBody: (raw, { channel }) =>
    channel === 'rest' ? formBodyWithLists(raw, LISTS) : jsonBodyInAnyScript(raw),
  check,
  prepare: (checked, key) => {
    if (checked.request.channel === 'fix') return prepareFix(checked, key);
    return checked.request.channel === 'ws' ? prepareWs(checked, key) : prepareRest(checked, key);
  },
});

export const BINANCE: Venue = {
  ...VENUE,
  plan: (request, key) => {
    const plan = VENUE.plan(request, key);
    return isRefusal(plan) ? plan : { ...plan, facts: boundFacts(plan.facts, CLASSES) };
  },
};

const LIQUIDATION = '/sapi/v1/margin/manual-liquidation';

/** Whether the endpoint could take the request: a liquidation asks for a `type` alone, which every order has. */
function fits({ template }: Endpoint, checked: CheckedRequest): boolean {
  return template !== LIQUIDATION || mayNameAnAccount(statedValue(checked, 'type'));
}

/**
 * On the WebSocket API the method is not signed, and `session.logon` takes no parameter of its own. So a request
 * without parameters is a login, whatever name it asks for.
 */
function isLogin({ request, body }: CheckedRequest, key: VenueKey): boolean {
  if (request.channel !== 'ws' || key.type !== 'ed25519') return false;
  const stated = body.kind === 'json' ? Object.keys(body.object) : [];
  return stated.every((name) => name === 'recvWindow');
}

function check(checked: CheckedRequest, key: VenueKey): Refusal | undefined {
  const { request, endpoint, body } = checked;
  if (request.query !== '' && request.body !== '') {
    return invalid(
      'Binance signs query and body as one text without a boundary: use only one of the two',
    );
  }
  if (request.method === 'GET' && request.body !== '') {
    return invalid('a GET request at Binance has no body');
  }
  if (body.kind === 'json_list') return invalid('the body must be a JSON object');
  if (endpoint?.operationClass === 'session' && key.type !== 'ed25519') {
    return invalid('Binance accepts logins by Ed25519 keys only');
  }
  const tail = namesOf(checked).find(endsInKnownName);
  if (tail !== undefined) {
    return invalid(`the parameter ${quoteName(tail)} can be cut to another parameter of Binance`);
  }
  const recvWindow = statedValue(checked, 'recvWindow');
  return recvWindow !== undefined && !isRecvWindow(recvWindow)
    ? invalid(`recvWindow must be 1 to ${MAX_RECV_WINDOW_MS} ms`)
    : undefined;
}

/** An unknown `xcoin` is `coin` to whoever sends its first letter as the query and the rest as the body. */
function endsInKnownName(name: string): boolean {
  return !KNOWN_NAMES.has(name) && endsInKnown(name);
}

function isRecvWindow(value: unknown): boolean {
  return /^[1-9][0-9]{0,4}$/.test(String(value)) && Number(value) <= MAX_RECV_WINDOW_MS;
}
