/**
 * OKX v5: signed endpoints, from ccxt's endpoint lists and the venue's documents. Time, method, path,
 * query and body are all signed, so parameter names have a list only where rules may compare their
 * values. Borrowing and repaying count as trade: like leverage they change what the account owes.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import { OKX_ORDER_ENDPOINTS } from './okx-orders.js';

const READ = rowsUnder(
  'GET /api/v5/',
  `
  rfq/counterparties rfq/maker-instrument-settings rfq/mmp-config rfq/rfqs rfq/quotes rfq/trades
  rfq/public-trades sprd/order sprd/orders-pending sprd/orders-history
  sprd/orders-history-archive sprd/trades trade/order trade/orders-pending trade/orders-history
  trade/orders-history-archive trade/fills trade/fills-history trade/fills-archive
  trade/order-algo trade/orders-algo-pending trade/orders-algo-history
  trade/easy-convert-currency-list trade/easy-convert-history
  trade/one-click-repay-currency-list trade/one-click-repay-currency-list-v2
  trade/one-click-repay-history trade/one-click-repay-history-v2 trade/account-rate-limit
  asset/currencies asset/balances asset/non-tradable-assets asset/asset-valuation
  asset/transfer-state asset/bills asset/bills-history asset/deposit-lightning
  asset/deposit-address asset/deposit-history asset/withdrawal-history
  asset/deposit-withdraw-status asset/monthly-statement asset/convert/currencies
  asset/convert/currency-pair asset/convert/history fiat/deposit-payment-methods
  fiat/withdrawal-payment-methods fiat/deposit-order-history fiat/deposit
  fiat/withdrawal-order-history fiat/withdrawal fiat/buy-sell/currencies
  fiat/buy-sell/currency-pair fiat/buy-sell/history account/instruments account/balance
  account/positions account/positions-history account/account-position-risk account/bills
  account/bills-archive account/bills-history-archive account/config account/subtypes
  account/max-size account/max-avail-size account/leverage-info account/adjust-leverage-info
  account/max-loan account/trade-fee account/interest-accrued account/interest-rate
  account/max-withdrawal account/risk-state account/interest-limits
  account/spot-borrow-repay-history account/greeks account/position-tiers
  account/set-account-switch-precheck account/collateral-assets account/mmp-config
  account/move-positions-history account/precheck-set-delta-neutral
  account/quick-margin-borrow-repay-history account/borrow-repay-history
  account/vip-interest-accrued account/vip-interest-deducted account/vip-loan-order-list
  account/vip-loan-order-detail account/fixed-loan/borrowing-limit
  account/fixed-loan/borrowing-quote account/fixed-loan/borrowing-orders-list
  users/subaccount/list account/subaccount/balances asset/subaccount/balances
  account/subaccount/max-withdrawal asset/subaccount/bills
  asset/subaccount/managed-subaccount-bills users/entrust-subaccount-list
  account/subaccount/interest-limits users/subaccount/apikey tradingBot/grid/orders-algo-pending
  tradingBot/grid/orders-algo-history tradingBot/grid/orders-algo-details
  tradingBot/grid/sub-orders tradingBot/grid/positions tradingBot/grid/ai-param
  tradingBot/signal/signals tradingBot/signal/orders-algo-details
  tradingBot/signal/orders-algo-pending tradingBot/signal/orders-algo-history
  tradingBot/signal/positions tradingBot/signal/positions-history tradingBot/signal/sub-orders
  tradingBot/signal/event-history tradingBot/recurring/orders-algo-pending
  tradingBot/recurring/orders-algo-history tradingBot/recurring/orders-algo-details
  tradingBot/recurring/sub-orders tradingBot/dca/ongoing-list tradingBot/dca/history-list
  tradingBot/dca/orders tradingBot/dca/position-details tradingBot/dca/cycle-list
  finance/savings/balance finance/savings/lending-history finance/staking-defi/offers
  finance/staking-defi/orders-active finance/staking-defi/orders-history
  finance/staking-defi/eth/product-info finance/staking-defi/eth/balance
  finance/staking-defi/eth/purchase-redeem-history finance/staking-defi/sol/product-info
  finance/staking-defi/sol/balance finance/staking-defi/sol/purchase-redeem-history
  finance/flexible-loan/borrow-currencies finance/flexible-loan/collateral-assets
  finance/flexible-loan/max-collateral-redeem-amount finance/flexible-loan/loan-info
  finance/flexible-loan/loan-history finance/flexible-loan/interest-accrued
  finance/flexible-loan/emode-info finance/okusd/limits finance/okusd/account
  finance/okusd/subscribe/history finance/okusd/redeem/history finance/okusd/rewards/history
  finance/okusd/rate/history finance/stable-rewards/product-info finance/stable-rewards/balance
  finance/stable-rewards/apy-history users/glp/todayperformance users/glp/historicalperformance
  copytrading/current-subpositions copytrading/subpositions-history copytrading/instruments
  copytrading/profit-sharing-details copytrading/total-profit-sharing
  copytrading/unrealized-profit-sharing-details copytrading/total-unrealized-profit-sharing
  copytrading/config copytrading/copy-settings copytrading/current-lead-traders
  copytrading/batch-leverage-info copytrading/lead-traders-history broker/dma/subaccount-info
  broker/dma/subaccount-trade-fee broker/dma/subaccount/apikey broker/dma/rebate-per-orders
  broker/fd/rebate-per-orders broker/fd/if-rebate broker/nd/info broker/nd/subaccount-info
  broker/nd/subaccount/apikey asset/broker/nd/subaccount-deposit-address
  asset/broker/nd/subaccount-deposit-history asset/broker/nd/subaccount-withdrawal-history
  broker/nd/rebate-daily broker/nd/rebate-per-orders finance/sfp/dcd/order
  finance/sfp/dcd/orders finance/sfp/dcd/currency-pair finance/sfp/dcd/order-status
  finance/sfp/dcd/order-history affiliate/invitee/detail affiliate/performance/summary
  affiliate/invitee/list affiliate/link/list affiliate/co-inviter/list
  affiliate/sub-affiliate/list users/partner/if-rebate support/announcements
`,
);

const READ_BY_POST = rowsUnder(
  'POST /api/v5/',
  `
  broker/nd/rebate-per-orders broker/fd/rebate-per-orders trade/order-precheck
  trade/fills-archive account/bills-history-archive asset/monthly-statement
  account/simulated_margin account/position-builder account/position-builder-graph
  tradingBot/grid/compute-margin-balance tradingBot/grid/min-investment
  finance/flexible-loan/max-loan broker/dma/trades broker/nd/report-subaccount-ip
`,
);

/** Cancels everything, all of a kind, or quotes and their requests. */
const CANCELLATIONS = rowsUnder(
  'POST /api/v5/',
  `
  trade/mass-cancel trade/cancel-all-after rfq/cancel-rfq rfq/cancel-batch-rfqs rfq/cancel-all-rfqs
  rfq/cancel-quote rfq/cancel-batch-quotes rfq/cancel-all-quotes rfq/cancel-all-after
  sprd/cancel-order sprd/mass-cancel sprd/cancel-all-after tradingBot/signal/cancel-sub-order
`,
);

/** Account settings that affect trading, loans, conversions. */
const SETTINGS = rowsUnder(
  'POST /api/v5/',
  `
  account/set-position-mode account/set-leverage
  account/position/margin-balance account/set-fee-type account/set-greeks
  account/set-isolated-mode account/spot-manual-borrow-repay account/set-auto-repay
  account/quick-margin-borrow-repay account/borrow-repay account/set-riskOffset-type
  account/set-riskOffset-amt account/activate-option account/set-auto-loan
  account/account-level-switch-preset account/set-account-level account/set-collateral-assets
  account/mmp-reset account/mmp-config account/set-auto-earn account/set-settle-currency
  account/set-trading-config account/demo-adjust-balance account/fixed-loan/borrowing-order
  account/fixed-loan/amend-borrowing-order account/fixed-loan/manual-reborrow
  account/fixed-loan/repay-borrowing-order finance/savings/set-lending-rate
  finance/staking-defi/eth/purchase finance/staking-defi/eth/redeem
  finance/staking-defi/eth/cancel-redeem finance/staking-defi/sol/purchase
  finance/staking-defi/sol/redeem finance/staking-defi/sol/cancel-redeem
  finance/flexible-loan/adjust-collateral finance/flexible-loan/borrow
  finance/flexible-loan/repay finance/okusd/subscribe finance/okusd/redeem
  trade/easy-convert trade/one-click-repay trade/one-click-repay-v2 asset/convert/estimate-quote
  asset/convert/trade asset/convert-dust-assets fiat/buy-sell/quote fiat/buy-sell/trade
`,
);

/** Orders whose size and side are in nested legs or follow from a strategy. */
const OPAQUE = rowsUnder(
  'POST /api/v5/',
  `
  rfq/maker-instrument-settings rfq/mmp-reset rfq/mmp-config sprd/order sprd/amend-order
  tradingBot/grid/order-algo tradingBot/grid/copy-order-algo
  tradingBot/grid/amend-algo-basic-param tradingBot/grid/amend-order-algo
  tradingBot/grid/stop-order-algo tradingBot/grid/close-position
  tradingBot/grid/cancel-close-order tradingBot/grid/order-instant-trigger
  tradingBot/grid/withdraw-income tradingBot/grid/margin-balance
  tradingBot/grid/adjust-investment tradingBot/signal/create-signal tradingBot/signal/order-algo
  tradingBot/signal/stop-order-algo tradingBot/signal/margin-balance tradingBot/signal/amendTPSL
  tradingBot/signal/set-instruments tradingBot/signal/close-position tradingBot/signal/sub-order
  tradingBot/recurring/order-algo
  tradingBot/recurring/amend-order-algo tradingBot/recurring/stop-order-algo
  tradingBot/dca/create tradingBot/dca/amend-order-algo tradingBot/dca/stop
  tradingBot/dca/orders/manual-buy tradingBot/dca/settings/reinvestment
  tradingBot/dca/settings/take-profit tradingBot/dca/margin/add tradingBot/dca/margin/reduce
  tradingBot/recurring/add-investment tradingBot/recurring/amend-price-range
  tradingBot/recurring/amend-recurring-amount tradingBot/recurring/amend-recurring-time
  tradingBot/recurring/pause tradingBot/recurring/restart copytrading/algo-order
  copytrading/close-subposition copytrading/set-instruments
  copytrading/amend-profit-sharing-ratio copytrading/first-copy-settings
  copytrading/amend-copy-settings copytrading/stop-copy-trading copytrading/batch-set-leverage
  finance/sfp/dcd/quote finance/sfp/dcd/order finance/sfp/dcd/trade finance/sfp/dcd/redeem-quote
  finance/sfp/dcd/redeem
`,
);

/** Moves funds between own accounts, sub-accounts, and products that lock them. */
const TRANSFER: Readonly<Record<string, string>> = {
  'POST /api/v5/asset/transfer': 'ccy amt from to | type subAcct loanTrans omitPosRisk clientId',
  'POST /api/v5/asset/subaccount/transfer':
    'ccy amt from to fromSubAccount toSubAccount | loanTrans omitPosRisk',
  'POST /api/v5/finance/savings/purchase-redempt': 'ccy amt side | rate',
};

/** Nested legs, or a product, tell what moves. */
const OPAQUE_TRANSFER = rowsUnder(
  'POST /api/v5/',
  `
  account/move-positions finance/staking-defi/purchase finance/staking-defi/redeem
  finance/staking-defi/cancel
`,
);

/** Funds leave the account, or reach another user. Whoever may withdraw may also cancel. */
const WITHDRAW: Readonly<Record<string, string>> = {
  'POST /api/v5/asset/withdrawal':
    'ccy amt dest toAddr | toAddrType chain areaCode rcvrInfo clientId fee',
  'POST /api/v5/fiat/create-withdrawal': 'paymentAcctId ccy amt paymentMethod clientId',
  'POST /api/v5/asset/cancel-withdrawal': 'wdId',
  'POST /api/v5/fiat/cancel-withdrawal': 'ordId',
};

/** A block trade with a named counterparty at his price can give the funds away. */
const BLOCK_TRADES = rowsUnder(
  'POST /api/v5/',
  'rfq/create-rfq rfq/create-quote rfq/execute-quote',
);

const KEY_ADMIN = rowsUnder(
  'POST /api/v5/',
  `
  users/subaccount/create-subaccount users/subaccount/apikey users/subaccount/modify-apikey
  users/subaccount/subaccount-apikey users/subaccount/delete-apikey
  users/subaccount/set-transfer-out broker/nd/create-subaccount broker/nd/delete-subaccount
  broker/nd/subaccount/apikey broker/nd/subaccount/modify-apikey
  broker/nd/subaccount/delete-apikey broker/nd/set-subaccount-level
  broker/nd/set-subaccount-fee-rate broker/nd/set-subaccount-assets
  asset/broker/nd/subaccount-deposit-address asset/broker/nd/modify-subaccount-deposit-address
  broker/dma/subaccount/apikey account/subaccount/set-loan-allocation
`,
);

const MOVEMENT = { fields: { symbols: ['ccy'], amounts: ['amt'] } };

export const OKX_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('read', ['query'], READ, { fields: {} }),
  ...endpoints('read', ['query', 'json'], READ_BY_POST, { fields: {} }),
  ...OKX_ORDER_ENDPOINTS,
  ...endpoints('cancel', ['json', 'json_list'], CANCELLATIONS),
  ...endpoints('trade', ['json', 'json_list'], [...SETTINGS, ...OPAQUE]),
  // ccxt lists these two as GET; the venue takes them as POST
  ...endpoints(
    'trade',
    ['query'],
    ['GET /api/v5/account/spot-manual-borrow-repay', 'GET /api/v5/account/set-auto-repay'],
  ),
  ...endpoints('transfer', ['json'], TRANSFER, MOVEMENT),
  ...endpoints('transfer', ['json'], OPAQUE_TRANSFER),
  ...endpoints('withdraw', ['json'], WITHDRAW, MOVEMENT),
  // the invoice holds the sum
  ...endpoints(
    'withdraw',
    ['json'],
    { 'POST /api/v5/asset/withdrawal-lightning': 'ccy invoice | memo rcvrInfo' },
    { fields: { symbols: ['ccy'], hasUndecidableAmount: () => true } },
  ),
  ...endpoints('withdraw', ['json'], BLOCK_TRADES),
  ...endpoints('key_admin', ['json'], KEY_ADMIN),
  ...endpoints('session', ['json'], ['login'], { channel: 'ws' }),
];
