/**
 * KuCoin: endpoints and where their facts are. Spot and futures answer under the same paths on two
 * hosts, and the host is not signed, so a path has one row for both. Earn, structured products,
 * copy trading and affiliate endpoints are not in the table.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import { namesIn, ordersIn, statesAny } from '../engine/nested-orders.js';
import type { Entry, FactFields } from '../engine/request-facts.js';
import type { SizeUnit } from '../engine/venue-facts.js';

export const KUCOIN_FIELDS: FactFields = {
  symbols: ['symbol', 'currency'],
  sides: ['side'],
  amounts: ['size', 'qty', 'amount'],
  quoteAmounts: ['funds', 'valueQty'],
  unitOf,
  // lots beside a quantity: only the venue knows which of the two counts
  hasUndecidableAmount: (order) =>
    actsOnPosition(order) || (order['size'] !== undefined && order['qty'] !== undefined),
  hasUndecidableSide: actsOnPosition,
};

/** Spot symbols are `BTC-USDT` and count the asset; futures symbols have no dash, and `size` counts lots. */
function unitOf({ symbol, size }: Entry): SizeUnit | undefined {
  if (size === undefined) return 'amount';
  if (typeof symbol !== 'string') return undefined;
  return symbol.includes('-') ? 'amount' : 'contracts';
}

/**
 * A futures order with `closeOrder`, without side or size, closes any open position. An attached stop trades on the
 * other side of the market, and the venue does not say how large it is (kucoin.com/docs, Place take profit and stop
 * loss order; docs-new/rest/ua/place-order). A trigger of the order itself (`stop`, `triggerPrice`) is no such stop.
 */
function actsOnPosition(order: Entry): boolean {
  const { closeOrder } = order;
  return (closeOrder !== undefined && closeOrder !== false) || statesAny(order, ATTACHED_STOPS);
}

const MOVES: FactFields = { symbols: ['currency'], amounts: ['amount'] };
/** Sets a new size for an existing spot order. */
const AMENDS: FactFields = { symbols: ['symbol'], amounts: ['newSize'] };
/** Borrowed and repaid amounts count as trade: like leverage they change what an account owes. */
const DEBTS: FactFields = { symbols: ['symbol', 'currency'], amounts: ['size'] };
const MARGIN: FactFields = {
  symbols: ['symbol'],
  amountsInOtherUnits: ['margin', 'withdrawAmount'],
};
const OF_SYMBOL: FactFields = { symbols: ['symbol'] };

const SPOT_ORDER =
  'clientOid side symbol type remark stp tradeType tags price size funds timeInForce cancelAfter ' +
  'postOnly hidden iceberg visibleSize allowMaxTimeWindow clientTimestamp stop stopPrice';
const MARGIN_ORDER = `${SPOT_ORDER} isIsolated autoBorrow autoRepay marginModel marginMode`;
const FUTURES_ORDER =
  'leverage stopPriceType reduceOnly closeOrder forceHold marginMode positionSide qty valueQty';
const FUTURES_STOPS = 'triggerStopUpPrice triggerStopDownPrice';
const UNIFIED_STOPS = 'tpTriggerPrice tpTriggerPriceType slTriggerPrice slTriggerPriceType';
const ATTACHED_STOPS = namesIn(`${FUTURES_STOPS} ${UNIFIED_STOPS}`);
const UNIFIED_ORDER =
  'tradeType clientOid symbol side orderType size sizeUnit price timeInForce postOnly reduceOnly ' +
  'stp cancelAfter marginMode leverage positionSide triggerDirection triggerPrice ' +
  `triggerPriceType ${UNIFIED_STOPS} autoBorrow autoRepay tags`;

/** In a unified account the unit of `size` may be stated beside it; otherwise futures count lots. */
const UNIFIED: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['size'],
  unitOf: (order) => {
    switch (order['sizeUnit']) {
      case undefined:
        // nothing tells what a market order counts
        return order['orderType'] === 'LIMIT' ? unitOf(order) : undefined;
      case 'BASECCY':
        return 'amount';
      case 'QUOTECCY':
        return 'quote_amount';
      case 'UNIT':
        return 'contracts';
      default:
        return undefined;
    }
  },
  hasUndecidableAmount: actsOnPosition,
  hasUndecidableSide: actsOnPosition,
};

const READS: readonly string[] = [
  ...rowsUnder(
    'GET /api/v1/',
    `
    user/api-key accounts accounts/{accountId} accounts/ledgers hf/accounts/ledgers
    transaction-history sub-accounts/{subUserId} sub/api-key margin/account deposit-addresses
    deposits hist-deposits withdrawals withdrawals/{withdrawalId} hist-withdrawals
    withdrawals/quotas accounts/transferable transfer-list base-fee trade-fees hf/accounts/opened
    hf/orders/active hf/orders/active/symbols hf/orders/active/page hf/orders/done
    hf/orders/{orderId} hf/orders/client-order/{clientOid} hf/orders/dead-cancel-all/query
    hf/fills orders limit/orders orders/{orderId} orders/byClientOid
    order/client-order/{clientOid} fills limit/fills stop-order stop-order/{orderId}
    stop-order/queryOrderByClientOid risk/limit/strategy isolated/symbols
    isolated/account/{symbol} account-overview account-overview-all stopOrders recentDoneOrders
    recentFills openOrderStatistics position positions margin/maxWithdrawMargin
    contracts/risk-limit/{symbol} funding-history history-positions deposit-address deposit-list
    withdrawal-list trade-statistics convert/quote convert/order/detail convert/order/history
    convert/limit/quote convert/limit/order/detail convert/limit/orders
    `,
  ),
  ...rowsUnder(
    'GET /api/v2/',
    `
    user-info sub/user sub-accounts getMaxOpenSize getCrossUserLeverage position/getMarginMode
    position/getPositionMode batchGetCrossOrderLimit deposit-addresses
    `,
  ),
  ...rowsUnder(
    'GET /api/v3/',
    `
    hf/margin/account/ledgers margin/accounts isolated/accounts deposit-addresses
    market/orderbook/level2 market/orderbook/level3 hf/margin/order/active/symbols
    oco/order/{orderId} oco/order/details/{orderId} oco/client-order/{clientOid} oco/orders
    hf/margin/orders/active hf/margin/orders/done hf/margin/orders/{orderId}
    hf/margin/orders/client-order/{clientOid} hf/margin/fills hf/margin/stop-orders
    hf/margin/stop-order/orderId hf/margin/stop-order/clientOid hf/margin/oco-order/orderId
    hf/margin/oco-order/clientOid hf/margin/oco-order/detail/orderId hf/margin/oco-orders
    etf/info margin/currencies margin/symbols margin/borrow margin/repay margin/interest
    margin/borrowRate
    `,
  ),
  ...rowsUnder(
    'GET /api/ua/v1/',
    `
    market/orderbook account/balance account/transfer-quota account/mode account/ledger
    account/interest-history asset/deposit/address account/deposit/address position/history
    sub-account/balance user/fee-rate dcp/query unified/account/leverage
    position/funding-history account/interest-limits
    `,
  ),
  ...['classic', 'unified'].flatMap((mode) =>
    rowsUnder(
      `GET /api/ua/v1/${mode}/`,
      `
      account/balance account/overview order/detail order/open-list order/history
      order/execution position/open-list position/history position/tiers
      `,
    ),
  ),
];

/** Cancels one order within its symbol, or all of a symbol. */
const CANCELLATIONS: Readonly<Record<string, string>> = {
  'DELETE /api/v1/hf/orders/{orderId}': 'symbol',
  'DELETE /api/v1/hf/orders/sync/{orderId}': 'symbol',
  'DELETE /api/v1/hf/orders/client-order/{clientOid}': 'symbol',
  'DELETE /api/v1/hf/orders/sync/client-order/{clientOid}': 'symbol',
  'DELETE /api/v1/hf/orders/cancel/{orderId}': 'symbol cancelSize',
  'DELETE /api/v1/hf/orders': 'symbol',
  'DELETE /api/v1/orders': '| symbol tradeType',
  'DELETE /api/v1/orders/client-order/{clientOid}': 'symbol',
  'DELETE /api/v1/stopOrders': '| symbol',
  'DELETE /api/v3/orders': '| symbol',
  'DELETE /api/v3/hf/margin/orders/{orderId}': 'symbol',
  'DELETE /api/v3/hf/margin/orders/client-order/{clientOid}': 'symbol',
  'DELETE /api/v3/hf/margin/orders': 'symbol tradeType',
};

/** Cancels everything, or orders by ids beside which a symbol decides nothing. */
const OPAQUE_CANCELLATIONS: readonly string[] = [
  ...rowsUnder(
    'DELETE /api/v1/',
    `
    hf/orders/cancelAll orders/{orderId} order/client-order/{clientOid} stop-order/{orderId}
    stop-order/cancelOrderByClientOid stop-order/cancel convert/limit/order/cancel
    `,
  ),
  ...rowsUnder(
    'DELETE /api/v3/',
    `
    oco/order/{orderId} oco/client-order/{clientOid} oco/orders
    hf/margin/stop-order/cancel-by-id hf/margin/stop-order/cancel-by-clientOid
    hf/margin/stop-order/cancel hf/margin/oco-order/cancel-by-id
    hf/margin/oco-order/cancel-by-clientOid hf/margin/oco-order/cancel
    `,
  ),
];

const UNIFIED_TRADES: readonly Endpoint[] = ['classic', 'unified'].flatMap((mode) => [
  ...endpoints(
    'trade',
    ['query', 'json'],
    { [`POST /api/ua/v1/${mode}/order/place`]: `symbol side size | ${UNIFIED_ORDER}` },
    { fields: UNIFIED },
  ),
  ...endpoints(
    'trade',
    ['query', 'json'],
    { [`POST /api/ua/v1/${mode}/order/place-batch`]: 'tradeType orderList' },
    { fields: UNIFIED, entries: ordersIn('orderList', UNIFIED_ORDER) },
  ),
  ...endpoints(
    'cancel',
    ['query', 'json'],
    {
      [`POST /api/ua/v1/${mode}/order/cancel`]: 'tradeType symbol | orderId clientOid',
      [`POST /api/ua/v1/${mode}/order/cancel-all`]: 'tradeType symbol | orderFilter',
    },
    { fields: OF_SYMBOL },
  ),
  ...endpoints(
    'trade',
    ['query', 'json'],
    { [`POST /api/ua/v1/${mode}/account/modify-leverage`]: 'symbol leverage' },
    { fields: OF_SYMBOL },
  ),
  ...endpoints(
    'cancel',
    ['query', 'json'],
    { [`POST /api/ua/v1/${mode}/order/cancel-batch`]: 'tradeType cancelOrderList' },
    { fields: OF_SYMBOL, entries: ordersIn('cancelOrderList', 'symbol orderId clientOid') },
  ),
  ...endpoints(
    'trade',
    ['query', 'json'],
    [`POST /api/ua/v1/${mode}/account/modify-leverage-margin-cross`],
  ),
]);

const TRADES: readonly Endpoint[] = [
  ...endpoints('trade', ['json'], {
    'POST /api/v1/hf/orders': SPOT_ORDER,
    'POST /api/v1/hf/orders/test': SPOT_ORDER,
    'POST /api/v1/hf/orders/sync': SPOT_ORDER,
    'POST /api/v1/orders': `${SPOT_ORDER} ${FUTURES_ORDER}`,
    'POST /api/v1/orders/test': `${SPOT_ORDER} ${FUTURES_ORDER}`,
    'POST /api/v1/st-orders': `${SPOT_ORDER} ${FUTURES_ORDER} ${FUTURES_STOPS}`,
    'POST /api/v1/stop-order': SPOT_ORDER,
    'POST /api/v3/oco/order': `${SPOT_ORDER} limitPrice`,
    'POST /api/v1/margin/order': MARGIN_ORDER,
    'POST /api/v1/margin/order/test': MARGIN_ORDER,
    'POST /api/v3/hf/margin/order': MARGIN_ORDER,
    'POST /api/v3/hf/margin/order/test': MARGIN_ORDER,
    'POST /api/v3/hf/margin/stop-order': MARGIN_ORDER,
    'POST /api/v3/hf/margin/oco-order': `${MARGIN_ORDER} limitPrice`,
  }),
  // the body holds futures orders as a list, and spot orders in `orderList`
  ...endpoints(
    'trade',
    ['json', 'json_list'],
    { 'POST /api/v1/orders/multi': `orderList ${SPOT_ORDER} ${FUTURES_ORDER}` },
    {
      entries: (order) =>
        order['orderList'] === undefined ? [order] : ordersIn('orderList', SPOT_ORDER)(order),
    },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v1/hf/orders/multi': 'orderList symbol',
      'POST /api/v1/hf/orders/multi/sync': 'orderList symbol',
    },
    { entries: ordersIn('orderList', SPOT_ORDER) },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v1/hf/orders/alter': 'symbol orderId clientOid newPrice newSize' },
    { fields: AMENDS },
  ),
  ...endpoints('cancel', ['query'], CANCELLATIONS, { fields: OF_SYMBOL }),
  ...endpoints('cancel', ['query'], OPAQUE_CANCELLATIONS),
  ...endpoints(
    'cancel',
    ['json'],
    [
      'DELETE /api/v1/orders/multi-cancel',
      // timers that cancel when nothing is heard
      'POST /api/v1/hf/orders/dead-cancel-all',
      'POST /api/ua/v1/dcp/set',
    ],
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v3/margin/borrow': 'currency size | timeInForce isIsolated symbol isHf',
      'POST /api/v3/margin/repay': 'currency size | isIsolated symbol isHf',
    },
    { fields: DEBTS },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v1/position/margin/auto-deposit-status': 'symbol status',
      'POST /api/v1/position/margin/deposit-margin': 'symbol margin bizNo | positionSide',
      'POST /api/v1/margin/withdrawMargin': 'symbol withdrawAmount | positionSide',
      'POST /api/v1/position/risk-limit-level/change': 'symbol level',
      'POST /api/v2/changeCrossUserLeverage': 'symbol leverage',
      'POST /api/v2/position/changeMarginMode': 'symbol marginMode',
    },
    { fields: MARGIN },
  ),
  ...endpoints(
    'trade',
    ['json'],
    [
      'POST /api/v2/position/batchChangeMarginMode',
      'POST /api/v2/position/switchPositionMode',
      'POST /api/v3/position/update-user-leverage',
      'POST /api/ua/v1/account/mode',
    ],
  ),
  ...UNIFIED_TRADES,
];

const TRANSFERS: readonly Endpoint[] = [
  ...endpoints(
    'transfer',
    ['json'],
    {
      'POST /api/v3/accounts/universal-transfer':
        'clientOid type currency amount fromAccountType toAccountType | fromUserId ' +
        'fromAccountTag toUserId toAccountTag',
      'POST /api/v2/accounts/sub-transfer':
        'clientOid currency amount direction subUserId | accountType subAccountType tag subTag',
      'POST /api/v2/accounts/inner-transfer': 'clientOid currency from to amount | fromTag toTag',
      'POST /api/v2/transfer-out': 'amount currency | recAccountType bizNo',
      'POST /api/v3/transfer-out': 'amount currency | recAccountType',
      'POST /api/v1/transfer-in': 'amount currency | payAccountType',
      'POST /api/ua/v1/account/transfer':
        'clientOid currency amount type fromAccountType toAccountType | fromUid toUid ' +
        'fromAccountSymbol toAccountSymbol fromAccountTag toAccountTag',
      'POST /api/v1/broker/nd/transfer':
        'currency amount direction accountType specialUid specialAccountType clientOid',
      'POST /api/v1/deposit-addresses': 'currency | chain to amount',
      'POST /api/v3/deposit-address/create': 'currency | chain to amount',
    },
    { fields: MOVES },
  ),
  ...endpoints('transfer', ['query'], ['DELETE /api/v1/cancel/transfer-out']),
];

export const KUCOIN_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('read', ['query'], READS, { fields: OF_SYMBOL }),
  ...TRADES,
  ...TRANSFERS,
  ...endpoints(
    'withdraw',
    ['json'],
    {
      'POST /api/v3/withdrawals':
        'currency toAddress amount withdrawType | memo isInner remark chain feeDeductType',
      'POST /api/v1/withdrawals':
        'currency address amount | memo isInner remark chain feeDeductType',
    },
    { fields: MOVES },
  ),
  ...endpoints('withdraw', [], ['DELETE /api/v1/withdrawals/{withdrawalId}']),
  ...endpoints(
    'key_admin',
    ['json'],
    [
      'POST /api/v2/sub/user/created',
      'POST /api/v1/sub/api-key',
      'POST /api/v1/sub/api-key/update',
      'POST /api/v1/broker/nd/account',
      'POST /api/v1/broker/nd/account/apikey',
      'POST /api/v1/broker/nd/account/update-apikey',
      'POST /api/ua/v1/sub-account/canTransferOut',
    ],
  ),
  ...endpoints(
    'key_admin',
    ['query'],
    ['DELETE /api/v1/sub/api-key', 'DELETE /api/v1/broker/nd/account/apikey'],
  ),
  // the token it answers with opens the private WebSocket
  ...endpoints('session', ['json'], ['POST /api/v1/bullet-private']),
];
