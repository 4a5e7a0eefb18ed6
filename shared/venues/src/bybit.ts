/**
 * Bybit v5. Formula: the venue's integration guide and ccxt.
 *
 * The signature covers time, API key, receive window and the query (GET) or the JSON body (POST), but
 * neither method nor path. So every parameter name must be in the table, and a request counts as the
 * most severe thing its parameters would be accepted for. GET and POST cannot stand in for each other:
 * a query is no JSON object, and the other way round.
 *
 * Limit: endpoints without required parameters cannot be told apart. Any signature of this key is good
 * for: user/delete-api and user/delete-sub-api (they delete the calling key), account/upgrade-to-uta,
 * account/quick-repayment, rfq/cancel-all-*. P2P endpoints are off the table, and `p2p/order/finish`
 * needs an `orderId` only: a key with P2P rights must not trade through the vault.
 */
import { toBase64, toHex } from '@countersign/core/bytes.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { Venue, VenueKey } from './engine/venue.js';
import type { SizeUnit } from './engine/venue-facts.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { usedCarriers } from './engine/request-entries.js';
import { findStranger, namesIn } from './engine/nested-orders.js';
import { isJsonObject, jsonBody } from './engine/request-body.js';
import type { Endpoint } from './engine/endpoint-table.js';
import type { Entry, FactFields } from './engine/request-facts.js';
import { invalid } from './engine/wire-form.js';
import { BYBIT_ENDPOINTS, BYBIT_ORDER_IDS, CLOSING_SIDE } from './tables/bybit-endpoints.js';

/** ms a request stays valid: the venue's default. */
const RECV_WINDOW_MS = 5000;
/** ms a login may take to arrive. */
const LOGIN_WINDOW_MS = 10_000;

const FIELDS: FactFields = {
  symbols: [
    'symbol',
    'coin',
    'fromCoin',
    'toCoin',
    'ltCoin',
    'loanCurrency',
    'collateralCoin',
    'collateralCurrency',
    'orderCurrency',
    'currency',
  ],
  sides: ['side', CLOSING_SIDE],
  amounts: ['qty', 'amount', 'quantity', 'orderAmount', 'tpSize', 'slSize'],
  amountsInOtherUnits: ['requestAmount', 'ltAmount', 'loanAmount', 'collateralAmount', 'margin'],
  unitOf,
  // of a purchase at the market that waits for a price, an amendment counts the quote coin, as the order did
  mayCountQuote: ({ category, orderType, qty }) =>
    category === 'spot' && orderType === undefined && qty !== undefined,
  hasUndecidableAmount: (entry) =>
    closesWholePosition(entry) || hasUnsizedStop(entry) || Number(entry['qty']) === 0,
  hasUndecidableSide,
};

/** A stop that is not `Partial` closes any position, on the side that it has. Spot has no positions. */
function closesWholePosition(entry: Entry): boolean {
  return hasStop(entry) && entry['tpslMode'] !== 'Partial' && entry['category'] !== 'spot';
}

/**
 * A partial stop of an order is as large as the order, and one of a position as it says. What says neither, or trails
 * the market, may be as large as the position.
 */
function hasUnsizedStop(entry: Entry): boolean {
  if (entry['category'] === 'spot' || Object.hasOwn(entry, 'qty')) return false;
  const isUnsized = (stop: string, size: string) =>
    Object.hasOwn(entry, stop) && (!Object.hasOwn(entry, size) || Number(entry[size]) === 0);
  return (
    Object.hasOwn(entry, 'trailingStop') ||
    isUnsized('takeProfit', 'tpSize') ||
    isUnsized('stopLoss', 'slSize')
  );
}

function hasStop(entry: Entry): boolean {
  return ['takeProfit', 'stopLoss', 'trailingStop'].some((name) => Object.hasOwn(entry, name));
}

/**
 * A stop trades on the other side of the market, and one of a position on the side that only the position tells. At
 * spot it trades what its order has bought or sold, and no more.
 */
function hasUndecidableSide(entry: Entry): boolean {
  const isSideless = !Object.hasOwn(entry, 'side');
  return (
    closesWholePosition(entry) || (hasStop(entry) && (entry['category'] === 'spot' || isSideless))
  );
}

/** Inverse contracts count dollars. Spot market orders to buy count the quote coin unless they say otherwise. */
function unitOf(entry: Entry): SizeUnit | undefined {
  const { category, side, orderType, marketUnit } = entry;
  const isOfMarket = ['qty', 'tpSize', 'slSize'].some((name) => Object.hasOwn(entry, name));
  if (!isOfMarket || !Object.hasOwn(entry, 'symbol')) return 'amount';
  if (category === 'linear' || category === 'option') return 'amount';
  if (category === 'inverse') return 'quote_amount';
  if (category !== 'spot') return undefined;
  // an amendment names no order type
  if (orderType === undefined || orderType === 'Limit' || marketUnit === 'baseCoin')
    return 'amount';
  if (orderType !== 'Market') return undefined;
  if (marketUnit === 'quoteCoin') return 'quote_amount';
  if (marketUnit !== undefined) return undefined;
  return String(side).toLowerCase() === 'sell' ? 'amount' : 'quote_amount';
}

const ORDER_IDS = namesIn(BYBIT_ORDER_IDS);

/** Whether it takes orders, amendments or switches in a list, which a list of cancellations cannot be. */
function asksForBatch({ names, operationClass }: Endpoint): boolean {
  return operationClass !== 'cancel' && names?.required.includes('request') === true;
}

/** Whether a batch only names orders, with nothing that could make or change one. */
function namesOrdersAlone({ body }: CheckedRequest): boolean {
  const list: unknown = body.kind === 'json' ? body.object['request'] : undefined;
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every((item) => isJsonObject(item) && findStranger(item, ORDER_IDS) === undefined)
  );
}

const ENDPOINTS_UNBOUND =
  'a Bybit signature covers neither method nor path: it is valid at every endpoint that takes the ' +
  'same parameters; use operation classes, symbols, sides and amounts';

export const BYBIT: Venue = defineVenue({
  id: 'bybit',
  displayName: 'Bybit',
  schemes: { hmac: 'hmac_sha256', rsa: 'rsa_pkcs1_sha256' },
  hmacSecretEncodings: ['utf8'],
  // it lies between the time and the receive window in the signed text
  apiKeyPattern: /^[A-Za-z0-9]+$/,
  endpoints: BYBIT_ENDPOINTS,
  fields: FIELDS,
  termNames: {
    order_type: 'orderType',
    price: 'price px orderPrice',
    trigger_price: 'triggerPrice activePrice',
    client_id: 'orderLinkId clientOrderId',
  },
  binds: { rest: ['query', 'body', 'time'], ws: ['time', 'session'] },
  sessionBinds: ['time', 'session'],
  unsignedParts: 'method_and_path',
  fits: (candidate, checked) =>
    usedCarriers(checked).every((carrier) => candidate.carriers.includes(carrier)) &&
    (!asksForBatch(candidate) || !namesOrdersAlone(checked)),
  // names from before v5, where they were among the parameters
  ownedParameters: ['api_key', 'recv_window', 'sign'],
  unbindable: { endpoints: ENDPOINTS_UNBOUND },
  readBody: jsonBody,
  check,
  prepare: (checked, key) =>
    checked.request.channel === 'ws' ? prepareLogin(checked, key) : prepareRest(checked, key),
});

function check({ request, body, query }: CheckedRequest): Refusal | undefined {
  if (request.channel === 'ws') return undefined;
  if (request.method !== 'GET' && request.method !== 'POST') {
    return invalid('Bybit takes GET and POST requests only');
  }
  if (request.method === 'GET' ? request.body !== '' : query.length > 0) {
    return invalid(
      'Bybit signs the query of a GET and the body of a POST: nothing else may be sent',
    );
  }
  return body.kind === 'json_list' ? invalid('the body must be a JSON object') : undefined;
}

function prepareRest({ request }: CheckedRequest, key: VenueKey): ComposeAt {
  const payload = request.method === 'GET' ? request.query : request.body;
  return ({ at }) => ({
    message: Buffer.from(`${at}${key.apiKey}${RECV_WINDOW_MS}${payload}`),
    finish: (signature) => ({
      method: request.method,
      path: request.path,
      query: request.query,
      headers: {
        'Content-Type': 'application/json',
        'X-BAPI-API-KEY': key.apiKey,
        'X-BAPI-TIMESTAMP': String(at),
        'X-BAPI-RECV-WINDOW': String(RECV_WINDOW_MS),
        'X-BAPI-SIGN': spell(signature, key),
      },
      body: request.body,
    }),
  });
}

function spell(signature: Uint8Array, key: VenueKey): string {
  return key.type === 'hmac' ? toHex(signature) : toBase64(signature);
}

function prepareLogin(
  { request, endpoint, body }: CheckedRequest,
  key: VenueKey,
): ComposeAt | Refusal {
  if (endpoint === undefined || (body.kind === 'json' && Object.keys(body.object).length > 0)) {
    return invalid('the only signed WebSocket request is auth, without parameters');
  }
  return ({ at, requestId }) => {
    const expires = String(at + LOGIN_WINDOW_MS);
    return {
      message: Buffer.from(`GET/realtime${expires}`),
      finish: (signature) => ({
        method: request.method,
        path: '',
        query: '',
        headers: {},
        body: JSON.stringify({
          req_id: requestId,
          op: 'auth',
          args: [key.apiKey, expires, spell(signature, key)],
        }),
      }),
    };
  };
}
