/**
 * Binance (spot, margin, wallet, futures, options, portfolio margin). Formulas: the venue's
 * rest-api.md, web-socket-api.md and fix-api.md.
 *
 * The signature covers query ‖ body and nothing else: neither method nor path, nor a boundary between
 * the two. So only one of the two may be used, every parameter name must be in the table, and a request
 * counts as the most severe thing its parameters would be accepted for: `GET /api/v3/order` by order id
 * is worth a cancellation. WebSocket requests sign the same kind of string, so they are compared with
 * the same endpoints, and their values may not hold characters that would split into more parameters.
 *
 * Limit: endpoints without required parameters cannot be told apart. Any signature of this key is good
 * for: enable/disableFastWithdrawSwitch, broker/subAccount, stock/contract, the automatic collections and
 * repayments of portfolio margin. Deny these by the key's own rights at the venue.
 */
import { toBase64, toHex } from '../bytes.js';
import { isRefusal, type Refusal } from '../errors.js';
import type { SigningMoment, Venue, VenueKey } from './venue.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import type { Endpoint } from './engine/endpoint-table.js';
import { formBody, jsonBodyInAnyScript } from './engine/request-body.js';
import type { Entry, FactFields } from './engine/request-facts.js';
import { invalid, joinRaw } from './engine/wire-form.js';
import { BINANCE_FUNDS } from './tables/binance-funds.js';
import { BINANCE_FUTURES } from './tables/binance-futures.js';
import { BINANCE_PORTFOLIO_MARGIN } from './tables/binance-portfolio-margin.js';
import { BINANCE_SESSIONS } from './tables/binance-sessions.js';
import { BINANCE_SPOT } from './tables/binance-spot.js';
import { BINANCE_WALLET } from './tables/binance-wallet.js';

/** ms a request stays valid when the caller does not say: the venue's own default. */
const DEFAULT_RECV_WINDOW_MS = 5000;
const MAX_RECV_WINDOW_MS = 60_000;

/** Read by name at every endpoint, since the signature binds names and not the endpoint. */
const FIELDS: FactFields = {
  symbols: [
    'symbol',
    'asset',
    'coin',
    'currency',
    'token',
    'pair',
    'underlying',
    'fromSymbol',
    'toSymbol',
    'isolatedSymbol',
    'fromAsset',
    'toAsset',
    'targetAsset',
    'baseAsset',
    'quoteAsset',
    'loanCoin',
    'collateralCoin',
    'baseToken',
    'faceToken',
  ],
  sides: ['side', 'workingSide', 'pendingSide'],
  amounts: [
    'quantity',
    'amount',
    'workingQuantity',
    'pendingQuantity',
    'newQty',
    'baseAmount',
    'fromAmount',
  ],
  amountsInOtherUnits: [
    'quoteOrderQty',
    'quoteAmount',
    'toAmount',
    'loanAmount',
    'collateralAmount',
    'repayAmount',
    'adjustmentAmount',
    'depositAmount',
    'baseTokenAmount',
  ],
  hasUndecidableAmount,
  symbolPattern: /^[\p{Lu}\p{Lo}\p{N}._-]{1,64}$/u,
};

/** "All of it", or a number of contracts: coin-margined futures (`BTCUSD_PERP`) and options. */
function hasUndecidableAmount(entry: Entry): boolean {
  const symbol = typeof entry['symbol'] === 'string' ? entry['symbol'] : '';
  return (
    ['closePosition', 'redeemAll', 'fullRepayment'].some((name) => isSet(entry[name])) ||
    symbol.includes('USD_') ||
    /-[CP]$/.test(symbol)
  );
}

/** Anything but `false`: the venue may take other words for `true`. */
function isSet(flag: unknown): boolean {
  return flag !== undefined && JSON.stringify(flag).toLowerCase().replaceAll('"', '') !== 'false';
}

const ENDPOINTS_UNBOUND =
  'a Binance signature covers neither method nor path: it is valid at every endpoint that takes the ' +
  'same parameters; use operation classes, symbols, sides and amounts';

export const BINANCE: Venue = defineVenue({
  id: 'binance',
  displayName: 'Binance',
  schemes: { hmac: 'hmac_sha256', rsa: 'rsa_pkcs1_sha256', ed25519: 'ed25519' },
  hmacSecretEncodings: ['utf8'],
  endpoints: [
    ...BINANCE_SPOT,
    ...BINANCE_WALLET,
    ...BINANCE_FUNDS,
    ...BINANCE_FUTURES,
    ...BINANCE_PORTFOLIO_MARGIN,
    ...BINANCE_SESSIONS,
  ],
  fields: FIELDS,
  binds: { rest: ['query', 'body', 'time'], ws: ['body', 'time'], fix: ['time', 'session'] },
  sessionBinds: ['time', 'session'],
  unsignedParts: 'method_and_path',
  fits,
  isLogin,
  ownedParameters: ['timestamp', 'signature', 'apiKey', 'SendingTime'],
  commonParameters: ['recvWindow'],
  unbindable: { endpoints: ENDPOINTS_UNBOUND },
  readBody: (raw, { channel }) => (channel === 'rest' ? formBody(raw) : jsonBodyInAnyScript(raw)),
  check,
  prepare: (checked, key) => {
    if (checked.request.channel === 'fix') return prepareFix(checked, key);
    return checked.request.channel === 'ws' ? prepareWs(checked, key) : prepareRest(checked, key);
  },
});

const LIQUIDATION = '/sapi/v1/margin/manual-liquidation';

/** Every order has a `type`; only these two name an account to liquidate. */
function fits({ template }: Endpoint, { query, body }: CheckedRequest): boolean {
  if (template !== LIQUIDATION) return true;
  const parameters = body.kind === 'form' ? body.parameters : query;
  const type = parameters.find(({ name }) => name === 'type')?.value;
  return type === 'MARGIN' || type === 'ISOLATED';
}

/**
 * On the WebSocket API the method is not signed, and `session.logon` takes no parameter of its own: what
 * states none is a login by whatever name it was asked for.
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
  const recvWindow = recvWindowOf(checked);
  return recvWindow !== undefined && !isRecvWindow(recvWindow)
    ? invalid(`recvWindow must be 1 to ${MAX_RECV_WINDOW_MS} ms`)
    : undefined;
}

function recvWindowOf({ query, body }: CheckedRequest): unknown {
  if (body.kind === 'json') return body.object['recvWindow'];
  const parameters = body.kind === 'form' ? body.parameters : query;
  return parameters.find(({ name }) => name === 'recvWindow')?.value;
}

function isRecvWindow(value: unknown): boolean {
  return /^[1-9][0-9]{0,4}$/.test(String(value)) && Number(value) <= MAX_RECV_WINDOW_MS;
}

function prepareRest(checked: CheckedRequest, key: VenueKey): ComposeAt {
  const { request } = checked;
  const isInBody =
    request.body !== '' || (request.query === '' && ['POST', 'PUT'].includes(request.method));
  const stated = isInBody ? request.body : request.query;
  const window = recvWindowOf(checked) === undefined ? `recvWindow=${DEFAULT_RECV_WINDOW_MS}` : '';
  return ({ at }) => {
    const text = joinRaw(stated, `timestamp=${at}`, window);
    return {
      message: Buffer.from(text),
      finish: (signature) => {
        const signed = `${text}&signature=${spellInUrl(signature, key)}`;
        return {
          method: request.method,
          path: request.path,
          query: isInBody ? '' : signed,
          headers: {
            'X-MBX-APIKEY': key.apiKey,
            ...(isInBody ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
          },
          body: isInBody ? signed : '',
        };
      },
    };
  };
}

function spell(signature: Uint8Array, key: VenueKey): string {
  return key.type === 'hmac' ? toHex(signature) : toBase64(signature);
}

function spellInUrl(signature: Uint8Array, key: VenueKey): string {
  return encodeURIComponent(spell(signature, key));
}

/** No character that would start another parameter in the signed string, nor an encoded one. */
const WS_VALUE = /^[\p{L}\p{N}._:@~/-]{1,256}$/u;

function prepareWs(checked: CheckedRequest, key: VenueKey): ComposeAt | Refusal {
  const stated = readWsParameters(checked);
  if (isRefusal(stated)) return stated;
  const window = 'recvWindow' in stated ? {} : { recvWindow: DEFAULT_RECV_WINDOW_MS };
  const { method } = checked.request;
  return ({ at, requestId }: SigningMoment) => {
    const params = { ...stated, ...window, apiKey: key.apiKey, timestamp: at };
    const text = Object.entries(params)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${name}=${String(value)}`)
      .join('&');
    return {
      message: Buffer.from(text),
      finish: (signature) => ({
        method,
        path: '',
        query: '',
        headers: {},
        body: JSON.stringify({
          id: requestId,
          method,
          params: { ...params, signature: spell(signature, key) },
        }),
      }),
    };
  };
}

/**
 * Values that print in one way only: text, whole numbers, booleans. They stand unencoded in the signed
 * string, where `x&coin=BTC` would be a second parameter to whoever sends the string as a query.
 */
function readWsParameters(
  checked: CheckedRequest,
): Readonly<Record<string, string | number | boolean>> | Refusal {
  const { body } = checked;
  const params: Record<string, string | number | boolean> = {};
  if (body.kind !== 'json') return params;
  for (const [name, value] of Object.entries(body.object)) {
    const isPlain =
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
      (typeof value === 'string' && WS_VALUE.test(value));
    if (!isPlain || !/^[A-Za-z]+$/.test(name)) {
      return invalid(
        `the parameter ${JSON.stringify(name)} has a form that Binance signs in two ways`,
      );
    }
    params[name] = value;
  }
  return params;
}

const COMP_ID = /^[A-Za-z0-9_-]{1,8}$/;

/** FIX logon: `MsgType␁SenderCompID␁TargetCompID␁MsgSeqNum␁SendingTime`. `body` gives the fields. */
function prepareFix(checked: CheckedRequest, key: VenueKey): ComposeAt | Refusal {
  const stated = checked.body.kind === 'json' ? checked.body.object : {};
  const { SenderCompID: sender, TargetCompID: target, MsgSeqNum: sequence } = stated;
  if (
    checked.request.method !== 'Logon' ||
    typeof sender !== 'string' ||
    !COMP_ID.test(sender) ||
    typeof target !== 'string' ||
    !COMP_ID.test(target) ||
    !Number.isSafeInteger(sequence) ||
    Number(sequence) < 1
  ) {
    return invalid('a FIX request is a Logon with SenderCompID, TargetCompID and MsgSeqNum');
  }
  return ({ at }) => {
    const sendingTime = fixTime(at);
    const fields = {
      MsgType: 'A',
      SenderCompID: sender,
      TargetCompID: target,
      MsgSeqNum: Number(sequence),
      SendingTime: sendingTime,
    };
    return {
      message: Buffer.from(Object.values(fields).join('\u0001')),
      finish: (signature) => {
        const rawData = toBase64(signature);
        return {
          method: 'Logon',
          path: '',
          query: '',
          headers: {},
          body: JSON.stringify({
            ...fields,
            RawDataLength: rawData.length,
            RawData: rawData,
            Username: key.apiKey,
          }),
        };
      },
    };
  };
}

/** UTCTimestamp with ms: `20240627-11:17:25.223`. */
function fixTime(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  return `${date.replaceAll('-', '')}-${time.replace('Z', '')}`;
}
