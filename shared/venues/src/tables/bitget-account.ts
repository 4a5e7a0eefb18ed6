/**
 * Bitget: endpoints that read, move funds or administer sub-accounts and keys. Endpoints of v1 are included only if
 * they move funds or administer; loans and earn are not in the table.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import type { FactFields } from '../engine/request-facts.js';

const MOVES: FactFields = { symbols: ['coin'], amounts: ['amount', 'size'] };

const WITHDRAWAL =
  'coin transferType address size | chain innerToType areaCode tag remark clientOid memberCode ' +
  'identityType companyName firstName lastName accountType';

const READS: readonly string[] = [
  ...rowsUnder(
    'GET /api/',
    `
    v2/spot/trade/orderInfo v2/spot/trade/unfilled-orders v2/spot/trade/history-orders
    v2/spot/trade/fills v2/spot/trade/current-plan-order v2/spot/trade/history-plan-order
    v2/spot/trade/plan-sub-order v2/spot/account/info v2/spot/account/assets
    v2/spot/account/subaccount-assets v2/spot/account/bills v2/spot/account/transferRecords
    v2/spot/account/sub-main-trans-record v2/spot/account/upgrade-status
    v2/spot/wallet/deposit-address v2/spot/wallet/deposit-records
    v2/spot/wallet/withdrawal-records v2/spot/wallet/transfer-coin-info
    v2/account/funding-assets v2/account/bot-assets v2/account/all-account-balance
    v2/common/trade-rate
    v2/mix/account/account v2/mix/account/accounts v2/mix/account/sub-account-assets
    v2/mix/account/interest-history v2/mix/account/max-open v2/mix/account/liq-price
    v2/mix/account/open-count v2/mix/account/bill v2/mix/account/transfer-limits
    v2/mix/account/union-config v2/mix/account/isolated-symbols
    v2/mix/market/query-position-lever v2/mix/position/single-position
    v2/mix/position/all-position v2/mix/position/adlRank v2/mix/position/history-position
    v2/mix/order/detail v2/mix/order/fills v2/mix/order/fill-history v2/mix/order/orders-pending
    v2/mix/order/orders-history v2/mix/order/plan-sub-order v2/mix/order/orders-plan-pending
    v2/mix/order/orders-plan-history
    v2/user/virtual-subaccount-list v2/user/virtual-subaccount-apikey-list
    v2/tax/spot-record v2/tax/future-record v2/tax/margin-record v2/tax/p2p-record
    v3/account/assets v3/account/funding-assets v3/account/settings v3/account/info
    v3/account/financial-records v3/account/repayable-coins v3/account/payment-coins
    v3/account/convert-records v3/account/deduct-info v3/account/fee-rate
    v3/account/all-fee-rate v3/account/switch-status v3/account/max-transferable
    v3/account/max-withdrawal v3/account/open-interest-limit v3/account/sub-unified-assets
    v3/account/transferable-coins v3/account/sub-transfer-record v3/account/deposit-address
    v3/account/sub-deposit-address v3/account/deposit-records v3/account/sub-deposit-records
    v3/account/withdrawal-records v3/account/withdraw-address v3/account/pre-set-leverage
    v3/account/funding-financial-records v3/account/delta-info v3/account/collateral-type
    v3/position/current-position v3/position/history-position v3/position/adlRank
    v3/tax/records v3/trade/order-info v3/trade/unfilled-orders
    v3/trade/unfilled-strategy-orders v3/trade/history-orders v3/trade/history-strategy-orders
    v3/trade/fills v3/user/sub-list v3/user/sub-api-list
    `,
  ),
  ...['crossed', 'isolated'].flatMap((mode) =>
    rowsUnder(
      'GET /api/',
      `
      v2/margin/${mode}/account/assets v2/margin/${mode}/account/risk-rate
      v2/margin/${mode}/account/max-borrowable-amount
      v2/margin/${mode}/account/max-transfer-out-amount v2/margin/${mode}/borrow-history
      v2/margin/${mode}/repay-history v2/margin/${mode}/interest-history
      v2/margin/${mode}/liquidation-history v2/margin/${mode}/financial-records
      v2/margin/${mode}/open-orders v2/margin/${mode}/history-orders v2/margin/${mode}/fills
      v2/margin/${mode}/interest-rate-and-limit v2/margin/${mode}/tier-data
      `,
    ),
  ),
];

const TRANSFERS: readonly Endpoint[] = [
  ...endpoints(
    'transfer',
    ['json'],
    {
      'POST /api/v2/spot/wallet/transfer': 'fromType toType amount coin | symbol clientOid',
      'POST /api/v2/spot/wallet/subaccount-transfer':
        'fromType toType amount coin fromUserId toUserId | symbol clientOid',
      'POST /api/v3/account/transfer': 'fromType toType amount coin | symbol clientOid allowBorrow',
      'POST /api/v3/account/sub-transfer':
        'fromType toType amount coin fromUserId toUserId | symbol clientOid allowBorrow',
      'POST /api/v3/account/sub-master-transfer':
        'fromType toType amount coin | fromUserId toUserId symbol clientOid',
      'POST /api/v3/copy/futures/transfer': 'amount coin | fromType toType clientOid',
    },
    { fields: MOVES },
  ),
  // what moves does not follow from the parameters that rules compare
  ...endpoints(
    'transfer',
    ['json'],
    rowsUnder(
      'POST /api/',
      `
      spot/v1/wallet/transfer spot/v1/wallet/transfer-v2 spot/v1/wallet/subTransfer
      v3/stockplus/asset/transfer broker/v1/account/sub-auto-transfer broker/v1/account/sub-address
      v2/broker/account/set-subaccount-autotransfer v2/broker/account/subaccount-address
      v2/spot/wallet/modify-deposit-account v3/account/deposit-account
      v3/broker/sub-deposit-address v3/account/move-positions
      `,
    ),
  ),
];

export const BITGET_ACCOUNT: readonly Endpoint[] = [
  ...endpoints('read', ['query'], READS, { fields: { symbols: ['symbol', 'coin'] } }),
  ...endpoints(
    'read',
    ['json'],
    rowsUnder(
      'POST /api/',
      `
      v3/account/max-open-available v2/margin/crossed/account/query-flash-repay-status
      v2/margin/isolated/account/query-flash-repay-status
      `,
    ),
    { fields: { symbols: ['symbol'] } },
  ),
  ...TRANSFERS,
  ...endpoints(
    'withdraw',
    ['json'],
    {
      'POST /api/v2/spot/wallet/withdrawal': WITHDRAWAL,
      'POST /api/v3/account/withdrawal': WITHDRAWAL,
    },
    { fields: MOVES },
  ),
  ...endpoints(
    'withdraw',
    ['json'],
    rowsUnder(
      'POST /api/',
      `
      v2/spot/wallet/cancel-withdrawal v3/account/cancel-withdrawal
      v2/broker/account/subaccount-withdrawal v3/broker/sub-withdrawal
      broker/v1/account/sub-withdrawal spot/v1/wallet/withdrawal spot/v1/wallet/withdrawal-v2
      spot/v1/wallet/withdrawal-inner spot/v1/wallet/withdrawal-inner-v2
      `,
    ),
  ),
  ...endpoints(
    'key_admin',
    ['json'],
    rowsUnder(
      'POST /api/',
      `
      v2/user/create-virtual-subaccount v2/user/modify-virtual-subaccount
      v2/user/batch-create-subaccount-and-apikey v2/user/create-virtual-subaccount-apikey
      v2/user/modify-virtual-subaccount-apikey v2/user/create-agent-subaccount
      v2/broker/account/create-subaccount v2/broker/account/modify-subaccount
      v2/broker/account/modify-subaccount-email v2/broker/manage/create-subaccount-apikey
      v2/broker/manage/modify-subaccount-apikey
      v3/broker/create-sub v3/broker/modify-sub v3/broker/create-sub-apikey
      v3/broker/modify-sub-apikey v3/broker/delete-sub-apikey v3/user/create-sub
      v3/user/freeze-sub v3/user/create-sub-api v3/user/update-sub-api v3/user/delete-sub-api
      v3/user/sub-account/agent-create
      user/v1/sub/virtual-create user/v1/sub/virtual-modify user/v1/sub/virtual-api-batch-create
      user/v1/sub/virtual-api-create user/v1/sub/virtual-api-modify
      broker/v1/account/sub-create broker/v1/account/sub-modify
      broker/v1/account/sub-modify-email broker/v1/account/sub-api-create
      broker/v1/account/sub-api-modify
      `,
    ),
    { fields: {} },
  ),
  // its signature is nearly that of a WebSocket login
  ...endpoints('session', [], ['GET /user/verify']),
  ...endpoints('session', [], ['login'], { channel: 'ws' }),
];
