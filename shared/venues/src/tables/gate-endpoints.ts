/**
 * Gate API v4: reads, movements of funds, rights and sessions; gate-trades.ts has the rest. Loans, earn, flash swap,
 * OTC and rebate endpoints are not in the table.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import {
  DELIVERY,
  FUTURES,
  GATE_FUTURES_TRADES,
  GATE_MOVES,
  GATE_SPOT_TRADES,
  SETTLED,
  onEach,
} from './gate-trades.js';

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
  ...GATE_SPOT_TRADES,
  ...GATE_FUTURES_TRADES,
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
    { fields: GATE_MOVES },
  ),
  ...endpoints(
    'withdraw',
    ['json'],
    {
      'POST /api/v4/withdrawals':
        'currency amount | address memo chain withdraw_order_id withdraw_id asset_class',
      // sends to another user of the venue, by his number
      'POST /api/v4/withdrawals/push': 'receive_uid currency amount',
      'POST /api/v4/push': 'receive_uid currency amount',
    },
    { fields: GATE_MOVES },
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
  ),
  ...endpoints('session', ['json'], ['spot.login', 'futures.login', 'subscribe', 'unsubscribe'], {
    channel: 'ws',
  }),
];
