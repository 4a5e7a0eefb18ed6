/**
 * Kraken spot. Formula: docs.kraken.com, guide on REST authentication: HMAC-SHA512 over the path and
 * SHA-256(nonce ‖ body). The vault puts `nonce` first in the body. Method and query are not signed: the
 * query must be empty, and every private call is a POST. There is no signed login: REST hands out a
 * token that opens the key's whole scope on WebSocket, so asking for it is a session.
 */
import { toBase64 } from '../bytes.js';
import type { Refusal } from '../errors.js';
import { sha256 } from '../hash.js';
import type { Venue, VenueKey } from './venue.js';
import { defineVenue, type CheckedRequest, type ComposeAt } from './engine/define-venue.js';
import { endpoints, rowsUnder, type Endpoint } from './engine/endpoint-table.js';
import { formBody, jsonBody } from './engine/request-body.js';
import { entriesIn, type Entry, type FactFields } from './engine/request-facts.js';
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

const ORDERS = rowsUnder(
  PRIVATE,
  'AddOrder EditOrder CancelOrder CancelAll CancelAllOrdersAfter CancelOrderBatch',
);

/** Chosen by the order's id: a pair beside it need not be the order's. */
const AMENDMENTS = rowsUnder(PRIVATE, 'AmendOrder');

/** The symbol stands beside the orders. */
const BATCH = rowsUnder(PRIVATE, 'AddOrderBatch');

const TRANSFER = rowsUnder(PRIVATE, 'WalletTransfer AccountTransfer Earn/Allocate Earn/Deallocate');

/** Who may withdraw may also cancel. */
const WITHDRAW = rowsUnder(PRIVATE, 'Withdraw WithdrawCancel');

const SYMBOL = /^[A-Z0-9./x]{1,32}$/;

const ORDER_FIELDS: FactFields = {
  symbols: ['pair'],
  sides: ['type'],
  amounts: ['volume', 'order_qty'],
  hasUndecidableAmount,
  // upper case, but for the x of tokenized shares: AAPLx/USD
  symbolPattern: SYMBOL,
};

/** `viqc`: the volume counts the quote currency. Volume 0 closes a margin position. */
function hasUndecidableAmount(entry: Entry): boolean {
  const { oflags, volume } = entry;
  return (
    (oflags !== undefined && JSON.stringify(oflags).includes('viqc')) ||
    (volume !== undefined && Number(volume) === 0)
  );
}

const MOVEMENT_FIELDS: FactFields = {
  symbols: ['asset'],
  amounts: ['amount'],
  symbolPattern: SYMBOL,
};

const FORM_OR_JSON = ['form', 'json'] as const;

export const KRAKEN_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('read', FORM_OR_JSON, READ, { fields: {} }),
  ...endpoints('trade', FORM_OR_JSON, ORDERS),
  ...endpoints('trade', FORM_OR_JSON, AMENDMENTS, {
    fields: { amountsInOtherUnits: ['order_qty'] },
  }),
  ...endpoints('trade', ['json'], BATCH, { entries: entriesIn('orders') }),
  ...endpoints('transfer', FORM_OR_JSON, TRANSFER, { fields: MOVEMENT_FIELDS }),
  ...endpoints('withdraw', FORM_OR_JSON, WITHDRAW, { fields: MOVEMENT_FIELDS }),
  ...endpoints('key_admin', FORM_OR_JSON, rowsUnder(PRIVATE, 'CreateSubaccount'), { fields: {} }),
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
  binds: { rest: ['path', 'nonce', 'body'] },
  sessionBinds: ['nonce', 'session'],
  unsignedParts: 'method',
  ownedParameters: ['nonce'],
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
