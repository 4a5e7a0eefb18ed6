/**
 * Kraken spot. Formula: docs.kraken.com, guide on REST authentication: HMAC-SHA512 over the path and
 * SHA-256(nonce ‖ body). The vault puts `nonce` first in the body. Method and query are not signed: the
 * query must be empty, and every private call is a POST. There is no signed login: REST hands out a
 * token that opens the key's whole scope on WebSocket, so asking for it is a session.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import type { Refusal } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import type { Venue, VenueKey } from './engine/venue.js';
import type { SizeUnit } from './engine/venue-facts.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { endpoints, rowsUnder, type Endpoint } from './engine/endpoint-table.js';
import { ordersIn } from './engine/nested-orders.js';
import { formBody, jsonBody } from './engine/request-body.js';
import type { Entry, FactFields } from './engine/request-facts.js';
import { invalid, joinRaw } from './engine/wire-form.js';

const PRIVATE = 'POST /0/private/';

const READ = rowsUnder(
  PRIVATE,
  `
  Balance BalanceEx CreditLines TradeBalance OpenOrders ClosedOrders QueryOrders OrderAmends
  TradesHistory QueryTrades OpenPositions Ledgers QueryLedgers TradeVolume AddExport ExportStatus
  RetrieveExport RemoveExport GetApiKeyInfo ListWalletAccounts Level3 DepositMethods
  DepositAddresses DepositStatus WithdrawMethods WithdrawAddresses WithdrawInfo WithdrawStatus
  Earn/AllocateStatus Earn/DeallocateStatus Earn/Strategies Earn/Allocations
`,
);

const ORDER =
  'pair type ordertype volume displayvol price price2 trigger leverage reduce_only stptype oflags ' +
  'timeinforce starttm expiretm userref cl_ord_id asset_class broker deadline validate trading_agreement ' +
  'close close[ordertype] close[price] close[price2]';

/** An order of a batch; parameters that all of them share are beside the list. */
const BATCHED_ORDER =
  'type ordertype volume displayvol price price2 trigger leverage reduce_only stptype oflags ' +
  'timeinforce starttm expiretm userref cl_ord_id close';

const CANCELLATIONS: Readonly<Record<string, string>> = {
  [`${PRIVATE}CancelOrder`]: '| txid cl_ord_id',
  [`${PRIVATE}CancelOrderBatch`]: '| orders cl_ord_ids',
  [`${PRIVATE}CancelAll`]: '',
  [`${PRIVATE}CancelAllOrdersAfter`]: '| timeout',
};

/** The order's id chooses it: a pair beside it need not be the order's. */
const AMENDMENTS: Readonly<Record<string, string>> = {
  [`${PRIVATE}AmendOrder`]:
    '| txid cl_ord_id order_qty display_qty limit_price trigger_price pair post_only deadline',
  [`${PRIVATE}EditOrder`]:
    '| txid pair volume displayvol price price2 oflags userref asset_class deadline cancel_response ' +
    'validate trading_agreement',
};

/** Names are optional in the table, since the method is not signed: a request that lacks one counts too. */
const TRANSFER: Readonly<Record<string, string>> = {
  [`${PRIVATE}WalletTransfer`]: '| asset from to amount',
  [`${PRIVATE}AccountTransfer`]: '| asset asset_class from to amount',
};

/** The strategy decides which asset it is. */
const EARN = rowsUnder(PRIVATE, 'Earn/Allocate Earn/Deallocate');

/** Whoever may withdraw may also cancel. */
const WITHDRAW: Readonly<Record<string, string>> = {
  [`${PRIVATE}Withdraw`]: '| asset aclass asset_class key address amount max_fee rebase_multiplier',
  [`${PRIVATE}WithdrawCancel`]: '| asset refid',
};

const SYMBOL = /^[A-Z0-9./x]{1,32}$/;

const ORDER_FIELDS: FactFields = {
  symbols: ['pair'],
  sides: ['type'],
  amounts: ['volume'],
  unitOf,
  // volume 0 closes a margin position
  hasUndecidableAmount: ({ volume }) => volume !== undefined && Number(volume) === 0,
  hasUndecidableSide: hasClosingOrder,
  // upper case, except for the x of tokenized shares: AAPLx/USD
  symbolPattern: SYMBOL,
};

/** `viqc`, for market orders alone: the volume counts the quote currency. */
function unitOf({ oflags, ordertype }: Entry): SizeUnit | undefined {
  const isFlagged = oflags !== undefined && JSON.stringify(oflags).toLowerCase().includes('viqc');
  if (!isFlagged) return 'amount';
  return ordertype === 'market' ? 'quote_amount' : undefined;
}

/** `close[...]`: an order on the other side follows what the order fills. */
function hasClosingOrder(order: Entry): boolean {
  return Object.keys(order).some((name) => name === 'close' || name.startsWith('close['));
}

const MOVEMENT_FIELDS: FactFields = {
  symbols: ['asset'],
  amounts: ['amount'],
  // counts tokenized shares, with or without their splits
  amountsInOtherUnits: ['rebase_multiplier'],
  symbolPattern: SYMBOL,
};

const FORM_OR_JSON = ['form', 'json'] as const;

export const KRAKEN_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('read', FORM_OR_JSON, READ, { fields: {} }),
  ...endpoints('trade', FORM_OR_JSON, { [`${PRIVATE}AddOrder`]: `| ${ORDER}` }),
  ...endpoints('cancel', FORM_OR_JSON, CANCELLATIONS),
  ...endpoints('trade', FORM_OR_JSON, AMENDMENTS, {
    fields: { amountsInOtherUnits: ['order_qty', 'volume'] },
  }),
  ...endpoints(
    'trade',
    ['json'],
    { [`${PRIVATE}AddOrderBatch`]: '| pair orders asset_class deadline validate' },
    { entries: ordersIn('orders', BATCHED_ORDER) },
  ),
  ...endpoints('transfer', FORM_OR_JSON, TRANSFER, { fields: MOVEMENT_FIELDS }),
  ...endpoints('transfer', FORM_OR_JSON, EARN),
  ...endpoints('withdraw', FORM_OR_JSON, WITHDRAW, { fields: MOVEMENT_FIELDS }),
  ...endpoints('key_admin', FORM_OR_JSON, rowsUnder(PRIVATE, 'CreateSubaccount')),
  ...endpoints('session', FORM_OR_JSON, rowsUnder(PRIVATE, 'GetWebSocketsToken')),
];

export const KRAKEN: Venue = defineVenue({
  id: 'kraken',
  displayName: 'Kraken',
  schemes: { hmac: 'hmac_sha512' },
  hmacSecretEncodings: ['base64'],
  nonce: 'us',
  endpoints: KRAKEN_ENDPOINTS,
  fields: ORDER_FIELDS,
  termNames: {
    order_type: 'ordertype',
    price: 'price limit_price',
    trigger_price: 'trigger_price',
    client_id: 'cl_ord_id userref',
  },
  binds: { rest: ['path', 'nonce', 'body'] },
  sessionBinds: ['nonce', 'session'],
  unsignedParts: 'method',
  ownedParameters: ['nonce'],
  // for keys with a second factor
  commonParameters: ['otp'],
  readBody: (raw) => (raw.startsWith('{') ? jsonBody(raw) : formBody(raw)),
  check,
  prepare,
});

function check({ request }: CheckedRequest): Refusal | undefined {
  if (request.query !== '') return invalid('Kraken does not sign the query: it must be empty');
  // the content type is not signed: a JSON text that is also a form would have two readings
  return request.body.startsWith('{') && request.body.includes('&')
    ? invalid('JSON for Kraken may not hold "&"')
    : undefined;
}

function prepare({ request, body }: CheckedRequest, key: VenueKey): ComposeAt {
  return ({ nonce }) => {
    const text = withNonce(request.body, body, String(nonce));
    return {
      message: Buffer.concat([Buffer.from(request.path), sha256(String(nonce), text)]),
      finish: (signature) => ({
        method: request.method,
        path: request.path,
        query: '',
        headers: {
          'API-Key': key.apiKey,
          'API-Sign': toBase64(signature),
          'Content-Type':
            body.kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
        },
        body: text,
      }),
    };
  };
}

function withNonce(raw: string, body: CheckedRequest['body'], nonce: string): string {
  if (body.kind !== 'json') return joinRaw(`nonce=${nonce}`, raw);
  const rest = Object.keys(body.object).length === 0 ? '}' : `,${raw.slice(1)}`;
  return `{"nonce":"${nonce}"${rest}`;
}
