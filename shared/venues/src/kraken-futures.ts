/**
 * Kraken futures (Kraken Derivatives). Formula: docs.kraken.com and ccxt: HMAC-SHA512 over SHA-256(postData ‖ path),
 * with the path from `/api` on.
 *
 * Neither method nor time is signed: a signed request stays valid and can be sent again. Parameters and path are
 * joined without a boundary, so a parameter may not hold a raw `/`. A WebSocket login signs whatever the server sends
 * as its challenge, in the same way as a request. So only a UUID is signed: otherwise a server could have a withdrawal
 * signed.
 *
 * Query and body are one text, too. One of the two is empty here, but whoever holds the signature may cut the other
 * anywhere: a value then reads shorter (`usdt` as `usd`, 15 as 1), and an optional parameter is lost. Therefore no
 * fact is read from a parameter whose absence would do more.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import type { Venue, VenueKey } from './engine/venue.js';
import type { SizeUnit } from './engine/venue-facts.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { endpoints, matchesTemplate, rowsUnder, type Endpoint } from './engine/endpoint-table.js';
import { findStranger, namesIn } from './engine/nested-orders.js';
import {
  formBody,
  isJsonObject,
  jsonBody,
  parseJson,
  type RequestBody,
} from './engine/request-body.js';
import { entriesIn, type Entry, type FactFields } from './engine/request-facts.js';
import { invalid } from './engine/wire-form.js';

const V3 = '/derivatives/api/v3/';

const READ = [
  ...rowsUnder(
    `GET ${V3}`,
    `
    feeschedules/volumes openpositions notifications accounts openorders recentorders fills transfers
    leveragepreferences pnlpreferences assignmentprogram/current assignmentprogram/history
    unwindqueue self-trade-strategy subaccounts subaccount/{uid}/trading-enabled
    rfq-assignment/max-leverage
  `,
  ),
  ...rowsUnder(
    'GET /api/history/v2/',
    'orders executions triggers accountlogcsv account-log positions',
  ),
  ...rowsUnder('GET /api/history/v3/', 'orders executions triggers account-log positions'),
  `POST ${V3}orders/status`,
  `GET ${V3}orders/status`,
];

const ORDER =
  'orderType symbol side size limitPrice stopPrice cliOrdId triggerSignal reduceOnly ' +
  'trailingStopMaxDeviation trailingStopDeviationUnit limitPriceOffsetValue limitPriceOffsetUnit broker';
const AMENDMENT =
  'cliOrdId size limitPrice stopPrice trailingStopMaxDeviation trailingStopDeviationUnit qtyMode';

/** Without a symbol the second one cancels in all markets. */
const CANCELLATIONS: Readonly<Record<string, string>> = {
  [`POST ${V3}cancelorder`]: '| order_id cliOrdId processBefore',
  [`POST ${V3}cancelallorders`]: '| symbol',
  [`POST ${V3}cancelallordersafter`]: '| timeout',
};

/** Stated with their names: the method is not signed, and the same paths are read by GET. */
const SETTINGS: Readonly<Record<string, string>> = {
  [`POST ${V3}assignmentprogram/add`]:
    'contractType contract | maxSize maxPosition acceptLong acceptShort timeFrame enabled',
  [`POST ${V3}assignmentprogram/delete`]: 'id',
  [`PUT ${V3}leveragepreferences`]: 'symbol | maxLeverage',
  [`PUT ${V3}pnlpreferences`]: 'symbol pnlPreference',
  [`PUT ${V3}self-trade-strategy`]: 'strategy',
  [`PUT ${V3}rfq-assignment/max-leverage`]: 'maxLeverage',
  [`DELETE ${V3}rfq-assignment/max-leverage`]: '',
};

const ORDER_FIELDS: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['size'],
  unitOf,
  // the venue's older examples have it in small letters; rules compare without case
  symbolPattern: /^(?:[A-Z0-9_]{1,64}|[a-z0-9_]{1,64})$/,
};

/** A contract of `PF_` is one unit of the asset. The unit of an order that is named by its id alone is unknown. */
function unitOf({ symbol }: Entry): SizeUnit | undefined {
  if (typeof symbol !== 'string') return undefined;
  return symbol.toUpperCase().startsWith('PF_') ? 'amount' : 'contracts';
}

const MOVEMENT_FIELDS: FactFields = {
  symbols: ['currency', 'unit'],
  amounts: ['amount'],
  symbolPattern: /^(?:[A-Z0-9]+|[a-z0-9]+)$/,
};

const INSTRUCTION_NAMES = namesIn(`order order_tag order_id ${ORDER} ${AMENDMENT}`);

/** The instructions of `json={"batchOrder":[...]}`: orders, amendments and cancellations. */
function batchEntries({ json }: Entry): readonly Entry[] | Refusal {
  const parsed = typeof json === 'string' ? parseJson(json) : invalid('json must hold the orders');
  if (isRefusal(parsed)) return parsed;
  if (!isJsonObject(parsed.json) || Object.keys(parsed.json).length !== 1) {
    return invalid('json must be {"batchOrder": [...]}');
  }
  const instructions = entriesIn('batchOrder')(parsed.json);
  if (isRefusal(instructions)) return instructions;
  const refused = instructions.map((each) => findStranger(each, INSTRUCTION_NAMES));
  return refused.find(isRefusal) ?? instructions.map(asEntry);
}

/** Everything but a new order is chosen by its id: a symbol or side beside it need not be the order's. */
function asEntry(instruction: Entry): Entry {
  const { order, size } = instruction;
  if (order === 'send') return instruction;
  return size === undefined ? {} : { size };
}

const ANYWHERE = ['query', 'form'] as const;

export const KRAKEN_FUTURES_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('read', ANYWHERE, READ, { fields: {} }),
  // names are optional in the table, since the method is not signed: a request that lacks one counts too
  ...endpoints('trade', ANYWHERE, { [`POST ${V3}sendorder`]: `| ${ORDER} processBefore` }),
  ...endpoints('cancel', ANYWHERE, CANCELLATIONS, { fields: {} }),
  // it is chosen by the order's id: a symbol beside it need not be the order's
  ...endpoints(
    'trade',
    ANYWHERE,
    { [`POST ${V3}editorder`]: `| orderId ${AMENDMENT} symbol processBefore` },
    { fields: { amountsInOtherUnits: ['size'] } },
  ),
  ...endpoints('trade', ANYWHERE, SETTINGS, { fields: { symbols: ['symbol'] } }),
  ...endpoints(
    'trade',
    ANYWHERE,
    { [`POST ${V3}batchorder`]: '| json processBefore ProcessBefore' },
    { entries: batchEntries },
  ),
  ...endpoints(
    'transfer',
    ANYWHERE,
    {
      [`POST ${V3}transfer`]: '| fromAccount toAccount unit amount',
      [`POST ${V3}transfer/subaccount`]: '| fromUser toUser fromAccount toAccount unit amount',
    },
    { fields: MOVEMENT_FIELDS },
  ),
  ...endpoints(
    'withdraw',
    ANYWHERE,
    { [`POST ${V3}withdrawal`]: '| currency amount targetWallet sourceWallet' },
    { fields: MOVEMENT_FIELDS },
  ),
  ...endpoints(
    'key_admin',
    ANYWHERE,
    { [`PUT ${V3}subaccount/{uid}/trading-enabled`]: 'tradingEnabled' },
    { fields: {} },
  ),
  ...endpoints('session', ['json'], ['challenge'], { channel: 'ws' }),
];

export const KRAKEN_FUTURES: Venue = defineVenue({
  id: 'kraken_futures',
  displayName: 'Kraken Futures',
  schemes: { hmac: 'hmac_sha512' },
  hmacSecretEncodings: ['base64'],
  endpoints: KRAKEN_FUTURES_ENDPOINTS,
  fields: ORDER_FIELDS,
  termNames: {
    order_type: 'orderType',
    price: 'limitPrice',
    trigger_price: 'stopPrice',
    client_id: 'cliOrdId',
  },
  binds: { rest: ['path', 'query', 'body'], ws: ['session'] },
  sessionBinds: ['session'],
  unsignedParts: 'method',
  ownedParameters: ['nonce', 'APIKey', 'Authent'],
  readBody: (raw, { channel }) => (channel === 'ws' ? jsonBody(raw) : readBody(raw)),
  check,
  prepare: (checked, key) =>
    checked.request.channel === 'ws' ? prepareChallenge(checked, key) : prepareRest(checked, key),
});

function check({ request, endpoint }: CheckedRequest): Refusal | undefined {
  if (request.query !== '' && request.body !== '') {
    return invalid('Kraken Futures signs query and body as one text: use only one of the two');
  }
  // not in the table, but signed like a path of the table, whose class it would not have
  const twin = KRAKEN_FUTURES_ENDPOINTS.find(
    ({ template }) =>
      !matchesTemplate(template, request.path) &&
      matchesTemplate(signedPath(template), signedPath(request.path)),
  );
  return request.channel === 'rest' && endpoint === undefined && twin !== undefined
    ? invalid(`Kraken Futures signs this path as if it were ${twin.template}: use that path`)
    : undefined;
}

/** The part of a path that the signature covers. */
function signedPath(path: string): string {
  return path.startsWith('/derivatives/') ? path.slice('/derivatives'.length) : path;
}

/**
 * A form, or `json=` with unencoded JSON, which is the common way to send a batch. Raw JSON may not hold a character
 * that begins a form parameter or the path.
 */
function readBody(raw: string): RequestBody | Refusal {
  if (!raw.startsWith('json={')) return formBody(raw);
  const value = raw.slice('json='.length);
  return /[&%+/#;]/.test(value)
    ? invalid('raw JSON for Kraken Futures may not hold any of & % + / # ;')
    : { kind: 'form', parameters: [{ name: 'json', value }] };
}

function prepareRest({ request }: CheckedRequest, key: VenueKey): ComposeAt {
  const message = sha256(request.query + request.body, signedPath(request.path));
  return () => ({
    message,
    finish: (signature) => ({
      method: request.method,
      path: request.path,
      query: request.query,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/json',
        APIKey: key.apiKey,
        Authent: toBase64(signature),
      },
      body: request.body,
    }),
  });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** `body` gives the server's challenge; the answer holds the fields that each subscription repeats. */
function prepareChallenge(
  { request, endpoint, body }: CheckedRequest,
  key: VenueKey,
): ComposeAt | Refusal {
  const challenge = body.kind === 'json' ? body.object['challenge'] : undefined;
  if (endpoint === undefined || typeof challenge !== 'string' || !UUID.test(challenge)) {
    return invalid('the only signed WebSocket request is challenge, with the UUID of the server');
  }
  return () => ({
    message: sha256(challenge),
    finish: (signature) => ({
      method: request.method,
      path: '',
      query: '',
      headers: {},
      body: JSON.stringify({
        api_key: key.apiKey,
        original_challenge: challenge,
        signed_challenge: toBase64(signature),
      }),
    }),
  });
}
