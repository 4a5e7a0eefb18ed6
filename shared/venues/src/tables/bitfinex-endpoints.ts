/** Bitfinex v2: endpoints and where their facts are. Alerts and pulse are not in the table. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { writtenText } from '@countersign/core/written-json.js';
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import { findStranger, namesIn } from '../engine/nested-orders.js';
import { isJsonObject } from '../engine/request-body.js';
import type { Entry, FactFields, ReadEntries } from '../engine/request-facts.js';
import { invalid } from '../engine/wire-form.js';

/** `tBTCUSD`, `tBTCF0:USTF0`, `fUSD`; in movements currencies, e.g. `BTC`. */
const SYMBOL = /^[tf]?[A-Z0-9]{2,20}(?::[A-Z0-9]{2,20})?$/;

/** A Lightning invoice holds the sum. */
function paysInvoice({ method, invoice }: Entry): boolean {
  return invoice !== undefined || String(method).toUpperCase() === 'LNX';
}

const METHOD = /^(?:[a-z0-9_]{1,32}|LNX)$/;

export const BITFINEX_FIELDS: FactFields = {
  symbols: ['symbol', 'currency'],
  sides: ['side'],
  amounts: ['amount'],
  // changes an order's amount by this much
  amountsInOtherUnits: ['delta'],
  hasUndecidableAmount: closesPosition,
  symbolPattern: SYMBOL,
};

const CLOSE_FLAG = 512;

/** Whole numbers that a binary fraction holds exactly. */
const FLAGS = /^[0-9]{1,15}$/;

/** The flag `close` ends a whole position, whatever the amount; so may a value that is no sum of flags. */
function closesPosition({ flags }: Entry): boolean {
  if (flags === undefined || flags === null) return false;
  const sum = writtenText(flags);
  return sum === undefined || !FLAGS.test(sum) || (Number(sum) & CLOSE_FLAG) !== 0;
}

const SIGNED_AMOUNT = /^-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?$/;

/** Orders buy a positive amount and sell a negative one. */
const sideBySign: ReadEntries = (order) => {
  const amount = readAmount(order);
  if (amount === undefined || isRefusal(amount)) return amount ?? [order];
  return [{ ...order, amount: amount.size, side: amount.isNegative ? 'sell' : 'buy' }];
};

/** Funding is offered or, by a negative amount, asked for: that is neither to buy nor to sell. */
const withoutSign: ReadEntries = (offer) => {
  const amount = readAmount(offer);
  if (amount === undefined || isRefusal(amount)) return amount ?? [offer];
  return [{ ...offer, amount: amount.size }];
};

interface SignedAmount {
  readonly size: string;
  readonly isNegative: boolean;
}

function readAmount({ amount }: Entry): SignedAmount | Refusal | undefined {
  if (amount === undefined) return undefined;
  const text = writtenText(amount);
  if (text === undefined || !SIGNED_AMOUNT.test(text)) {
    return invalid('the amount must be a plain decimal, with or without a minus');
  }
  const isNegative = text.startsWith('-');
  return { size: isNegative ? text.slice(1) : text, isNegative };
}

const ORDER =
  'type symbol amount price lev price_trailing price_aux_limit price_oco_stop gid cid flags tif meta';
const AMENDMENT =
  'id cid cid_date gid price amount lev delta price_aux_limit price_trailing flags tif';

/** Operations of an `order/multi`, each `[name, parameters]`, by their short names. */
const OPERATIONS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['on', namesIn(ORDER)],
  ['ou', namesIn(AMENDMENT)],
  ['oc', namesIn('id cid cid_date')],
  ['oc_multi', namesIn('id cid gid all')],
]);

/**
 * An entry per operation. A cancellation is an empty entry: beside an order it leaves symbols, sides and amounts open,
 * since a rule on an order does not cover it.
 */
const ordersOfMulti: ReadEntries = ({ ops }) => {
  if (!Array.isArray(ops) || ops.length === 0) return invalid('ops must be a list of operations');
  const entries: Entry[] = [];
  for (const operation of ops as readonly unknown[]) {
    const [name, parameters, ...rest] = Array.isArray(operation)
      ? (operation as readonly unknown[])
      : [];
    const known = OPERATIONS.get(name);
    if (known === undefined || !isJsonObject(parameters) || rest.length > 0) {
      return invalid('an operation is ["on" | "ou" | "oc" | "oc_multi", {...}]');
    }
    const refused = findStranger(parameters, known);
    if (refused !== undefined) return refused;
    const read = name === 'on' || name === 'ou' ? sideBySign(parameters) : [{}];
    if (isRefusal(read)) return read;
    entries.push(...read);
  }
  return entries;
};

export const BITFINEX_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints(
    'read',
    ['json'],
    rowsUnder(
      'POST /v2/auth/',
      `
      r/wallets r/wallets/hist r/orders r/orders/{symbol} r/orders/{symbol}/hist r/orders/hist
      r/order/{symbol_and_id}/trades r/trades/{symbol}/hist r/trades/hist
      r/ledgers/{currency}/hist r/ledgers/hist r/info/margin/{key} r/positions
      r/position/increase/info r/positions/hist r/positions/audit r/positions/snap
      r/funding/offers r/funding/offers/{symbol} r/funding/offers/{symbol}/hist
      r/funding/offers/hist r/funding/loans r/funding/loans/hist r/funding/loans/{symbol}
      r/funding/loans/{symbol}/hist r/funding/credits r/funding/credits/hist
      r/funding/credits/{symbol} r/funding/credits/{symbol}/hist r/funding/trades/{symbol}/hist
      r/funding/trades/hist r/info/funding/{key} r/info/user r/summary r/logins/hist
      r/permissions r/audit/hist r/deposit/address/all r/ext/invoice/payments
      r/movements/{currency}/hist r/movements/hist r/movements/info r/alerts r/settings
      r/ext/wallets/transfers/free/count calc/order/avail
    `,
    ),
    { fields: { symbols: ['symbol', 'currency'], symbolPattern: SYMBOL } },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /v2/auth/w/order/submit': `| ${ORDER}`,
      'POST /v2/auth/w/order/update': `| ${AMENDMENT}`,
    },
    { entries: sideBySign },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /v2/auth/w/funding/offer/submit': 'type symbol amount rate period | flags',
      'POST /v2/auth/w/funding/auto': 'status currency | amount rate period',
    },
    { entries: withoutSign },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /v2/auth/w/order/multi': 'ops' },
    { entries: ordersOfMulti },
  ),
  ...endpoints('cancel', ['json'], {
    'POST /v2/auth/w/order/cancel': '| id cid cid_date',
    'POST /v2/auth/w/order/cancel/multi': '| id cid gid all',
    'POST /v2/auth/w/funding/offer/cancel': 'id',
    'POST /v2/auth/w/funding/offer/cancel/all': '| currency',
  }),
  ...endpoints('trade', ['json'], {
    'POST /v2/auth/w/funding/keep': 'type id | changes',
    'POST /v2/auth/w/funding/close': 'id',
  }),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /v2/auth/w/deriv/collateral/set': 'symbol collateral' },
    { fields: { ...BITFINEX_FIELDS, amountsInOtherUnits: ['collateral'] } },
  ),
  ...endpoints('transfer', ['json'], {
    'POST /v2/auth/w/transfer':
      'from to currency amount | currency_to email_dst user_id_dst tfaToken',
    'POST /v2/auth/w/deposit/address': 'wallet method | op_renew',
    'POST /v2/auth/w/deposit/invoice': 'wallet currency amount',
    'POST /v2/auth/w/ext/wallets/deposits/request': '| currency amount',
  }),
  ...endpoints(
    'withdraw',
    ['json'],
    {
      'POST /v2/auth/w/withdraw':
        'wallet method amount | address invoice payment_id fee_deduct note travel_rule_tos ' +
        'vasp_did vasp_name beneficiary_self dest_firstname dest_lastname tfaToken',
    },
    // the transport names the currency, e.g. `bitcoin`, `tetherusl`
    {
      fields: {
        symbols: ['method'],
        amounts: ['amount'],
        hasUndecidableAmount: paysInvoice,
        symbolPattern: METHOD,
      },
    },
  ),
  ...endpoints('withdraw', ['json'], {
    'POST /v2/auth/w/ext/wallets/withdrawals/request': '| currency amount',
  }),
  ...endpoints('key_admin', ['json'], rowsUnder('POST /v2/auth/', 'w/settings/set w/settings/del')),
  // a token stands for the key, with the rights it names
  ...endpoints('session', ['json'], rowsUnder('POST /v2/auth/', 'w/token')),
  ...endpoints('session', ['json'], ['auth'], { channel: 'ws' }),
];
