/**
 * Gate API v4: endpoints and where their facts are. Loans, earn, flash swap, OTC and rebate endpoints
 * are not in the table.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import { orderIn } from '../engine/nested-orders.js';
import type { Entry, FactFields, ReadEntries } from '../engine/request-facts.js';
import { invalid } from '../engine/wire-form.js';

export const GATE_FIELDS: FactFields = {
  symbols: ['currency_pair', 'currency'],
  sides: ['side'],
  amounts: ['amount'],
  hasUndecidableAmount: spendsQuote,
};

/** Futures and options: the sign of `size` is the side, its value a number of contracts. */
const CONTRACTS: FactFields = {
  symbols: ['contract'],
  sides: ['side'],
  amountsInOtherUnits: ['size'],
  hasUndecidableAmount: closesPosition,
  hasUndecidableSide: closesPosition,
};

const MOVES: FactFields = { symbols: ['currency'], amounts: ['amount'] };

/** A market order to buy states its amount in the quote currency. */
function spendsQuote(order: Entry): boolean {
  const isLimit = order['type'] === undefined || order['type'] === 'limit';
  return Object.hasOwn(order, 'amount') && !isLimit && order['side'] !== 'sell';
}

/** Size 0, `close` and `auto_size` close a position: its direction and size are known to the venue. */
function closesPosition(order: Entry): boolean {
  const size = order['size'];
  return (
    order['auto_size'] !== undefined ||
    (order['close'] !== undefined && order['close'] !== false) ||
    (size !== undefined && Number(size) === 0)
  );
}

const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]{0,17})$/;

/** The side that the sign of `size` stands for. */
const sideBySize: ReadEntries = (order) => {
  const { size } = order;
  if (size === undefined) return [order];
  const isNumber = typeof size === 'number' || typeof size === 'string';
  if (!isNumber || !WHOLE_NUMBER.test(String(size))) return invalid('size must be a whole number');
  if (Number(size) === 0) return [order];
  return [{ ...order, side: Number(size) > 0 ? 'buy' : 'sell' }];
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

/** Settle currencies are spelled out: a placeholder there would take any word. */
const FUTURES = ['futures/btc', 'futures/usdt', 'futures/usd'];
const DELIVERY = ['delivery/btc', 'delivery/usdt'];

const READS = rowsUnder(
  'GET /api/v4/',
  `
  wallet/deposit_address wallet/withdrawals wallet/deposits wallet/sub_account_transfers
  wallet/order_status wallet/withdraw_status wallet/sub_account_balances
  wallet/sub_account_margin_balances wallet/sub_account_futures_balances
  wallet/sub_account_cross_margin_balances wallet/saved_address wallet/fee wallet/total_balance
  wallet/small_balance wallet/small_balance_history wallet/push wallet/transfers
  sub_accounts sub_accounts/{user_id} sub_accounts/{user_id}/keys sub_accounts/{user_id}/keys/{key}
  unified/accounts unified/borrowable unified/transferable unified/transferables
  unified/batch_borrowable unified/loans unified/loan_records unified/interest_records
  unified/risk_units unified/unified_mode unified/estimate_rate unified/currency_discount_tiers
  unified/loan_margin_tiers unified/leverage/user_currency_config
  unified/leverage/user_currency_setting unified/account_mode
  spot/fee spot/batch_fee spot/accounts spot/account_book spot/open_orders spot/orders
  spot/orders/{order_id} spot/my_trades spot/price_orders spot/price_orders/{order_id}
  margin/accounts margin/account_book margin/funding_accounts margin/auto_repay
  margin/transferable margin/uni/loans margin/uni/loan_records margin/uni/interest_records
  margin/uni/borrowable margin/uni/estimate_rate margin/user/loan_margin_tiers margin/user/account
  margin/cross/accounts margin/cross/account_book margin/cross/loans margin/cross/repayments
  margin/cross/interest_records margin/cross/transferable margin/cross/borrowable
  options/my_settlements options/accounts options/account_book options/positions
  options/positions/{contract} options/position_close options/orders options/orders/{order_id}
  options/my_trades options/mmp
  account/detail account/main_keys account/rate_limit account/stp_groups account/debit_fee
  `,
);

const FUTURES_READS = `
  accounts account_book positions positions/{contract} orders orders/{order_id} my_trades
  position_close liquidates price_orders price_orders/{order_id}
`;
const PERPETUAL_READS = `
  dual_comp/positions/{contract} get_leverage/{contract} orders_timerange my_trades_timerange
  auto_deleverages fee risk_limit_table
`;

function onEach(markets: readonly string[], method: string, paths: string): string[] {
  return markets.flatMap((market) => rowsUnder(`${method} /api/v4/${market}/`, paths));
}

function withNames(rows: readonly string[], names: string): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row, names]));
}

const SETTLED = [...FUTURES, ...DELIVERY];
const SIGNED = { fields: CONTRACTS, entries: sideBySize };
const ON_POSITION = {
  fields: { symbols: ['contract'], amountsInOtherUnits: ['change', 'risk_limit'] },
};

const FUTURES_TRADES: readonly Endpoint[] = [
  ...endpoints(
    'trade',
    ['json'],
    withNames(onEach(SETTLED, 'POST', 'orders'), CONTRACT_ORDER),
    SIGNED,
  ),
  ...endpoints(
    'trade',
    ['json_list'],
    withNames(onEach(FUTURES, 'POST', 'batch_orders'), CONTRACT_ORDER),
    SIGNED,
  ),
  ...endpoints(
    'trade',
    ['json'],
    withNames(onEach(FUTURES, 'PUT', 'orders/{order_id}'), `| ${CONTRACT_AMENDMENT}`),
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
  ...endpoints('trade', ['json_list'], onEach(FUTURES, 'POST', 'batch_cancel_orders')),
  ...endpoints('trade', ['json'], onEach(FUTURES, 'POST', 'countdown_cancel_all'), {
    fields: { symbols: ['contract'] },
  }),
  ...endpoints(
    'trade',
    ['query'],
    [
      ...onEach(SETTLED, 'DELETE', 'orders orders/{order_id} price_orders price_orders/{order_id}'),
      ...onEach(
        SETTLED,
        'POST',
        'positions/{contract}/margin positions/{contract}/leverage positions/{contract}/risk_limit',
      ),
      ...onEach(
        FUTURES,
        'POST',
        `
        positions/{contract}/set_leverage dual_mode set_position_mode
        dual_comp/positions/{contract}/margin dual_comp/positions/{contract}/leverage
        dual_comp/positions/{contract}/risk_limit
        `,
      ),
    ],
    ON_POSITION,
  ),
  ...endpoints(
    'trade',
    ['json', 'query'],
    onEach(FUTURES, 'POST', 'positions/cross_mode dual_comp/positions/cross_mode'),
    ON_POSITION,
  ),
];

const SPOT_TRADES: readonly Endpoint[] = [
  ...endpoints('trade', ['json'], {
    'POST /api/v4/spot/orders': SPOT_ORDER,
    'POST /api/v4/spot/cross_liquidate_orders': 'currency_pair amount price | text action_mode',
    'POST /api/v4/spot/countdown_cancel_all': 'timeout | currency_pair',
  }),
  ...endpoints('trade', ['json_list'], {
    'POST /api/v4/spot/batch_orders': SPOT_ORDER,
    'POST /api/v4/spot/amend_batch_orders': `order_id | ${SPOT_AMENDMENT}`,
    'POST /api/v4/spot/cancel_batch_orders': 'currency_pair id | account action_mode',
  }),
  ...endpoints('trade', ['query', 'json'], {
    'PATCH /api/v4/spot/orders/{order_id}': `| ${SPOT_AMENDMENT}`,
  }),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v4/spot/price_orders': 'trigger put market' },
    {
      fields: { ...GATE_FIELDS, symbols: ['market'] },
      entries: orderIn('put', SPOT_TRIGGERED),
    },
  ),
  ...endpoints(
    'trade',
    ['query'],
    rowsUnder(
      'DELETE /api/v4/',
      'spot/orders spot/orders/{order_id} spot/price_orders spot/price_orders/{order_id}',
    ),
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
        ...MOVES,
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
    'trade',
    ['json'],
    rowsUnder('POST /api/v4/', 'options/countdown_cancel_all options/mmp options/mmp/reset'),
    { fields: { symbols: ['contract', 'underlying'] } },
  ),
  ...endpoints(
    'trade',
    ['query'],
    rowsUnder('DELETE /api/v4/', 'options/orders options/orders/{order_id}'),
    {
      fields: CONTRACTS,
    },
  ),
];

export const GATE_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints(
    'read',
    ['query'],
    [
      ...READS,
      ...onEach(SETTLED, 'GET', FUTURES_READS),
      ...onEach(FUTURES, 'GET', PERPETUAL_READS),
      ...onEach(DELIVERY, 'GET', 'settlements'),
    ],
    { fields: { symbols: ['currency_pair', 'contract', 'currency'] } },
  ),
  ...SPOT_TRADES,
  ...FUTURES_TRADES,
  ...endpoints(
    'transfer',
    ['json'],
    {
      'POST /api/v4/wallet/transfers': 'currency from to amount | currency_pair settle',
      'POST /api/v4/wallet/sub_account_transfers':
        'sub_account currency amount direction | sub_account_type client_order_id',
      'POST /api/v4/wallet/sub_account_to_sub_account':
        'currency sub_account_from sub_account_from_type sub_account_to sub_account_to_type ' +
        'amount | sub_account_type',
    },
    { fields: MOVES },
  ),
  ...endpoints(
    'withdraw',
    ['json'],
    {
      'POST /api/v4/withdrawals':
        'currency amount | address memo chain withdraw_order_id withdraw_id asset_class',
      // to another user of the venue, by his number
      'POST /api/v4/withdrawals/push': 'receive_uid currency amount',
      'POST /api/v4/push': 'receive_uid currency amount',
    },
    { fields: MOVES },
  ),
  ...endpoints('withdraw', [], ['DELETE /api/v4/withdrawals/{withdrawal_id}']),
  ...endpoints(
    'key_admin',
    ['json'],
    [
      ...rowsUnder(
        'POST /api/v4/',
        `
        sub_accounts sub_accounts/{user_id}/keys sub_accounts/{user_id}/lock
        sub_accounts/{user_id}/unlock
        `,
      ),
      'PUT /api/v4/sub_accounts/{user_id}/keys/{key}',
      'DELETE /api/v4/sub_accounts/{user_id}/keys/{key}',
    ],
    { fields: {} },
  ),
  ...endpoints('session', ['json'], ['spot.login', 'futures.login', 'subscribe', 'unsubscribe'], {
    channel: 'ws',
  }),
];
