/** Gate API v4: orders, cancellations, leverage, margin loans, and where the facts of each request are. */
import { writtenText } from '@countersign/core/written-json.js';
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import { orderIn } from '../engine/nested-orders.js';
import type { Entry, FactFields, ReadEntries } from '../engine/request-facts.js';
import type { SizeUnit } from '../engine/venue-facts.js';
import { invalid } from '../engine/wire-form.js';

export const GATE_FIELDS: FactFields = {
  symbols: ['currency_pair', 'currency'],
  sides: ['side'],
  amounts: ['amount'],
  unitOf,
};

/** Futures and options: the sign of `size` is the side, its value a number of contracts. */
const CONTRACTS: FactFields = {
  symbols: ['contract'],
  sides: ['side'],
  contracts: ['size'],
  hasUndecidableAmount: closesPosition,
  hasUndecidableSide: closesPosition,
};

export const GATE_MOVES: FactFields = { symbols: ['currency'], amounts: ['amount'] };

/** A market order to buy states its amount in the quote currency. */
function unitOf({ type, side }: Entry): SizeUnit | undefined {
  if (type === undefined || type === 'limit' || side === 'sell') return 'amount';
  return type === 'market' && side === 'buy' ? 'quote_amount' : undefined;
}

/**
 * A market order to buy that waits for a price: the venue's documents say of its amount that it is in the quote
 * currency (API v4) and in the base currency (gateapi-python, docs/SpotPricePutOrder.md).
 */
const TRIGGERED: FactFields = {
  ...GATE_FIELDS,
  symbols: ['market'],
  unitOf: (order) => (unitOf(order) === undefined ? undefined : 'amount'),
  mayCountQuote: (order) => unitOf(order) === 'quote_amount',
};

/**
 * Size 0, `close`, `auto_size` and, for triggered orders, every `order_type` close a position: only the venue knows
 * its direction and size.
 */
function closesPosition(order: Entry): boolean {
  const { size, auto_size: autoSize, order_type: orderType, close, is_close: isClose } = order;
  return (
    autoSize !== undefined ||
    orderType !== undefined ||
    [close, isClose].some((flag) => flag !== undefined && flag !== false) ||
    (size !== undefined && Number(size) === 0)
  );
}

const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]{0,17})$/;

/** The side that the sign of `size` stands for. */
const sideBySize: ReadEntries = (order) => {
  if (order['size'] === undefined) return [order];
  const size = writtenText(order['size']);
  if (size === undefined || !WHOLE_NUMBER.test(size)) return invalid('size must be a whole number');
  if (Number(size) === 0) return [order];
  return [{ ...order, size: size.replace('-', ''), side: Number(size) > 0 ? 'buy' : 'sell' }];
};

const SPOT_ORDER =
  'currency_pair side amount | text trade_quote type account price time_in_force iceberg ' +
  'auto_borrow auto_repay stp_act action_mode slippage';
const SPOT_AMENDMENT = 'currency_pair account amount price amend_text action_mode';
const SPOT_TRIGGERED = 'type side price amount account time_in_force auto_borrow auto_repay text';
const CONTRACT_ORDER =
  'contract size price | iceberg close reduce_only tif text auto_size stp_act pid ' +
  'market_order_slip_ratio pos_margin_mode action_mode';
const CONTRACT_AMENDMENT = 'size price amend_text text action_mode';
const CONTRACT_TRIGGERED =
  'contract size price close tif text reduce_only auto_size is_reduce_only is_close iceberg';
const OPTION_ORDER = 'contract size | iceberg price close reduce_only mmp tif text';

/** Settle currencies are spelled out, since a placeholder would take any word. */
export const FUTURES = ['futures/btc', 'futures/usdt', 'futures/usd'];
export const DELIVERY = ['delivery/btc', 'delivery/usdt'];
export const SETTLED = [...FUTURES, ...DELIVERY];

/** Rows for paths below each of the markets. */
export function onEach(markets: readonly string[], method: string, paths: string): string[] {
  return markets.flatMap((market) => rowsUnder(`${method} /api/v4/${market}/`, paths));
}

function withNames(rows: readonly string[], names: string): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row, names]));
}

const SIGNED = { fields: CONTRACTS, entries: sideBySize };
const OF_CONTRACT = { fields: { symbols: ['contract'] } };
/** The path holds the contract. */
const ON_POSITION = {
  fields: { symbols: ['contract'], amountsInOtherUnits: ['change', 'risk_limit'] },
};

function onPositions(setting: string, names: string): Record<string, string> {
  return {
    ...withNames(onEach(SETTLED, 'POST', `positions/{contract}/${setting}`), names),
    ...withNames(onEach(FUTURES, 'POST', `dual_comp/positions/{contract}/${setting}`), names),
  };
}

export const GATE_FUTURES_TRADES: readonly Endpoint[] = [
  ...endpoints(
    'trade',
    ['json'],
    withNames(onEach(SETTLED, 'POST', 'orders'), CONTRACT_ORDER),
    SIGNED,
  ),
  ...endpoints(
    'trade',
    ['json_list'],
    // ccxt adds the last two itself
    withNames(onEach(FUTURES, 'POST', 'batch_orders'), `${CONTRACT_ORDER} settle textIsRequired`),
    SIGNED,
  ),
  ...endpoints(
    'trade',
    ['json'],
    withNames(
      onEach(FUTURES, 'PUT', 'orders/{order_id}'),
      `| ${CONTRACT_AMENDMENT} currency_pair account`,
    ),
    SIGNED,
  ),
  ...endpoints(
    'trade',
    ['json_list'],
    withNames(onEach(FUTURES, 'POST', 'batch_amend_orders'), `| order_id ${CONTRACT_AMENDMENT}`),
    SIGNED,
  ),
  ...endpoints(
    'trade',
    ['json'],
    withNames(onEach(SETTLED, 'POST', 'price_orders'), 'initial trigger | order_type'),
    { fields: CONTRACTS, entries: orderIn('initial', CONTRACT_TRIGGERED, sideBySize) },
  ),
  ...endpoints(
    'cancel',
    ['json_list'],
    // spelled as ccxt writes them
    withNames(
      onEach(
        [...FUTURES, 'futures/BTC', 'futures/USDT', 'futures/USD'],
        'POST',
        'batch_cancel_orders',
      ),
      '',
    ),
  ),
  ...endpoints(
    'cancel',
    ['json'],
    withNames(onEach(FUTURES, 'POST', 'countdown_cancel_all'), 'timeout | contract'),
    OF_CONTRACT,
  ),
  ...endpoints(
    'cancel',
    ['query'],
    {
      ...withNames(
        onEach(SETTLED, 'DELETE', 'orders'),
        '| contract side exclude_reduce_only text action_mode',
      ),
      ...withNames(onEach(SETTLED, 'DELETE', 'price_orders'), '| contract'),
    },
    OF_CONTRACT,
  ),
  // the id alone chooses the order, whatever contract is beside it
  ...endpoints(
    'cancel',
    ['query'],
    withNames(
      onEach(SETTLED, 'DELETE', 'orders/{order_id} price_orders/{order_id}'),
      '| contract action_mode',
    ),
    { fields: {} },
  ),
  ...endpoints(
    'trade',
    ['query'],
    {
      ...onPositions('margin', 'change | dual_side'),
      ...onPositions('leverage', 'leverage | cross_leverage_limit pid'),
      ...onPositions('risk_limit', 'risk_limit'),
    },
    ON_POSITION,
  ),
  ...endpoints(
    'trade',
    ['query'],
    onEach(FUTURES, 'POST', 'positions/{contract}/set_leverage dual_mode set_position_mode'),
  ),
  ...endpoints(
    'trade',
    ['json', 'query'],
    onEach(FUTURES, 'POST', 'positions/cross_mode dual_comp/positions/cross_mode'),
  ),
];

export const GATE_SPOT_TRADES: readonly Endpoint[] = [
  ...endpoints('trade', ['json'], {
    'POST /api/v4/spot/orders': SPOT_ORDER,
    'POST /api/v4/spot/cross_liquidate_orders': 'currency_pair amount price | text action_mode',
  }),
  ...endpoints('trade', ['json_list'], {
    'POST /api/v4/spot/batch_orders': `${SPOT_ORDER} textIsRequired`,
    'POST /api/v4/spot/amend_batch_orders': `order_id | ${SPOT_AMENDMENT}`,
  }),
  ...endpoints('cancel', ['json'], {
    'POST /api/v4/spot/countdown_cancel_all': 'timeout | currency_pair',
  }),
  ...endpoints('cancel', ['json_list'], {
    'POST /api/v4/spot/cancel_batch_orders': 'currency_pair id | account action_mode',
  }),
  ...endpoints('trade', ['query', 'json'], {
    'PATCH /api/v4/spot/orders/{order_id}': `| ${SPOT_AMENDMENT}`,
  }),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v4/spot/price_orders': 'trigger put market' },
    { fields: TRIGGERED, entries: orderIn('put', SPOT_TRIGGERED) },
  ),
  ...endpoints('cancel', ['query'], {
    'DELETE /api/v4/spot/orders': '| currency_pair side account action_mode',
    'DELETE /api/v4/spot/orders/{order_id}': 'currency_pair | account action_mode',
  }),
  ...endpoints(
    'cancel',
    ['query'],
    { 'DELETE /api/v4/spot/price_orders': '| market account' },
    { fields: { symbols: ['market'] } },
  ),
  ...endpoints(
    'cancel',
    ['query'],
    { 'DELETE /api/v4/spot/price_orders/{order_id}': '' },
    { fields: {} },
  ),
  ...endpoints('trade', ['json'], {
    'POST /api/v4/margin/leverage/user_market_setting': 'currency_pair leverage',
    'POST /api/v4/unified/leverage/user_currency_setting': 'currency leverage',
    'PUT /api/v4/unified/unified_mode': 'mode | settings',
  }),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v4/wallet/small_balance': '| currency is_all' },
    { fields: { symbolLists: ['currency'], hasUndecidableAmount: () => true } },
  ),
  // borrowed and repaid amounts count as trade: like leverage they change what an account owes
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v4/unified/loans': 'currency type amount | repaid_all text',
      'POST /api/v4/margin/uni/loans': 'currency type amount | repaid_all currency_pair',
    },
    {
      fields: {
        ...GATE_MOVES,
        hasUndecidableAmount: ({ repaid_all: all }) => all !== undefined && all !== false,
      },
    },
  ),
  ...endpoints('trade', ['json'], { 'POST /api/v4/options/orders': OPTION_ORDER }, SIGNED),
  ...endpoints(
    'trade',
    ['json'],
    { 'PUT /api/v4/options/orders/{order_id}': `| ${CONTRACT_AMENDMENT}` },
    SIGNED,
  ),
  ...endpoints(
    'cancel',
    ['json'],
    { 'POST /api/v4/options/countdown_cancel_all': 'timeout | contract underlying' },
    { fields: { symbols: ['contract', 'underlying'] } },
  ),
  ...endpoints('trade', ['json'], rowsUnder('POST /api/v4/', 'options/mmp options/mmp/reset')),
  ...endpoints(
    'cancel',
    ['query'],
    { 'DELETE /api/v4/options/orders': '| contract underlying side' },
    OF_CONTRACT,
  ),
  ...endpoints(
    'cancel',
    ['query'],
    { 'DELETE /api/v4/options/orders/{order_id}': '| contract' },
    { fields: {} },
  ),
];
