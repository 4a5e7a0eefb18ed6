/**
 * Bitget: endpoints that trade, and where their facts are: classic v2 and unified account v3. Convert,
 * copy trading, grid bots, stocks and P2P are not in the table.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import { ordersIn } from '../engine/nested-orders.js';
import type { Entry, FactFields } from '../engine/request-facts.js';
import type { SizeUnit } from '../engine/venue-facts.js';

/** Spot: a market order to buy states its size in the quote currency. A plan of `total` always does. */
export const BITGET_FIELDS: FactFields = {
  symbols: ['symbol', 'coin'],
  sides: ['side'],
  amounts: ['size', 'qty', 'amount'],
  unitOf,
};

function unitOf(order: Entry): SizeUnit | undefined {
  const { orderType, side, planType } = order;
  const isSized = Object.hasOwn(order, 'size') || Object.hasOwn(order, 'qty');
  if (!isSized) return 'amount';
  if (planType === 'total') return 'quote_amount';
  if (orderType === 'limit' || side === 'sell') return 'amount';
  return orderType === 'market' && side === 'buy' ? 'quote_amount' : undefined;
}

/** Futures sizes are in the base coin, whatever the order's type. */
const FUTURES: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['size', 'newSize'],
  // in hedge mode closing a long position is `buy` with `close`
  hasUndecidableSide: ({ tradeSide }) =>
    tradeSide !== undefined && tradeSide !== 'open' && tradeSide !== 'Open',
};

/** Closing or reversing a position acts on what is open. */
const CLOSING: FactFields = {
  symbols: ['symbol'],
  hasUndecidableAmount: () => true,
  hasUndecidableSide: () => true,
};

/** A plan to take profit or stop a loss has the side of the position that it closes. */
const STOPS: FactFields = {
  symbols: ['symbol'],
  amounts: ['size'],
  hasUndecidableSide: () => true,
};

/** Replaces a limit order of the symbol, on the side that it has, in the base coin. */
const REPLACES: FactFields = { symbols: ['symbol'], amounts: ['size'] };
/** Changes the order with an id, whatever symbol is beside it: nobody can tell what its size counts. */
const AMENDS_BY_ID: FactFields = { amountsInOtherUnits: ['size', 'qty'] };

const OF_SYMBOL: FactFields = { symbols: ['symbol'] };
const SETTINGS: FactFields = { symbols: ['symbol'], amountsInOtherUnits: ['amount'] };
/** Borrowed and repaid amounts count as trade: like leverage they change what an account owes. */
const DEBTS: FactFields = { symbols: ['coin'], amounts: ['borrowAmount', 'repayAmount'] };

const WINDOW = 'requestTime receiveWindow';
const SPOT_ORDER =
  'symbol side orderType force price size clientOid triggerPrice tpslType stpMode ' +
  'presetTakeProfitPrice executeTakeProfitPrice presetStopLossPrice executeStopLossPrice ' +
  WINDOW;
const SPOT_REPLACEMENT =
  'symbol orderType price size clientOid orderId newClientOid presetTakeProfitPrice ' +
  'executeTakeProfitPrice presetStopLossPrice executeStopLossPrice';
const MARGIN_ORDER =
  'symbol orderType price loanType force baseSize quoteSize clientOid side stpMode';
const FUTURES_ORDER =
  'symbol productType marginMode marginCoin size price side tradeSide orderType force clientOid ' +
  'reduceOnly presetStopSurplusPrice presetStopLossPrice presetStopSurplusExecutePrice ' +
  'presetStopLossExecutePrice stpMode';
const FUTURES_PLAN =
  'planType symbol force executePrice productType marginMode marginCoin size price callbackRatio triggerPrice ' +
  'triggerType side tradeSide orderType clientOid reduceOnly stopSurplusTriggerPrice ' +
  'stopSurplusExecutePrice stopSurplusTriggerType stopLossTriggerPrice stopLossExecutePrice ' +
  'stopLossTriggerType stpMode';
const STOP_PLAN =
  'orderType force marginCoin productType symbol planType triggerPrice triggerType executePrice holdSide size ' +
  'rangeRate clientOid stpMode';
const POSITION_STOP =
  'marginCoin productType symbol stopSurplusTriggerPrice stopSurplusTriggerType ' +
  'stopSurplusExecutePrice stopSurplusSize stopLossTriggerPrice stopLossTriggerType ' +
  'stopLossExecutePrice stopLossSize holdSide stpMode stopSurplusClientOid stopLossClientOid';
const UNIFIED_ORDER =
  'category symbol qty price side orderType timeInForce posSide clientOid reduceOnly stpMode ' +
  'marginMode tpTriggerBy slTriggerBy takeProfit stopLoss tpOrderType slOrderType ' +
  'tpLimitPrice slLimitPrice autoBorrow';
const UNIFIED_AMENDMENT =
  'orderId clientOid symbol category qty price autoCancel requestId tpTriggerBy slTriggerBy ' +
  'takeProfit stopLoss tpOrderType slOrderType tpLimitPrice slLimitPrice';

const UNIFIED_STRATEGY =
  'category symbol qty side type tpslMode posSide clientOid reduceOnly marginMode tpTriggerBy slTriggerBy takeProfit ' +
  'stopLoss tpOrderType slOrderType tpLimitPrice slLimitPrice';

/** Margin orders state what they spend, as `quoteSize` when they buy at market. */
const MARGIN: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['baseSize'],
  quoteAmounts: ['quoteSize'],
};

/** Spot counts the quote currency when it buys at market; futures count the base coin. */
const UNIFIED: FactFields = {
  symbols: ['symbol', 'coin'],
  sides: ['side'],
  amounts: ['qty'],
  unitOf: (order) =>
    order['category'] === 'USDT-FUTURES' || order['category'] === 'USDC-FUTURES'
      ? 'amount'
      : unitOf(order),
};

/** A plan to take profit or stop a loss. Without a size it closes any position that is open. */
const STRATEGIES: FactFields = {
  ...UNIFIED,
  hasUndecidableAmount: ({ qty }) => qty === undefined,
  hasUndecidableSide: () => true,
};

const SPOT_TRADES: readonly Endpoint[] = [
  ...endpoints('trade', ['json'], { 'POST /api/v2/spot/trade/place-order': SPOT_ORDER }),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v2/spot/trade/batch-orders': `symbol batchMode orderList ${WINDOW}` },
    { entries: ordersIn('orderList', SPOT_ORDER) },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v2/spot/trade/cancel-replace-order': SPOT_REPLACEMENT },
    { fields: REPLACES },
  ),
  ...endpoints('trade', ['json'], {
    'POST /api/v2/spot/trade/place-plan-order':
      'symbol side triggerPrice orderType executePrice price planType size triggerType clientOid force ' +
      'stpMode',
  }),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v2/spot/trade/modify-plan-order':
        'orderId clientOid triggerPrice executePrice size orderType',
    },
    { fields: AMENDS_BY_ID },
  ),
  ...endpoints(
    'cancel',
    ['json'],
    {
      'POST /api/v2/spot/trade/cancel-order': 'symbol tpslType orderId clientOid',
      'POST /api/v2/spot/trade/cancel-symbol-order': 'symbol',
    },
    { fields: OF_SYMBOL },
  ),
  ...endpoints(
    'cancel',
    ['json'],
    { 'POST /api/v2/spot/trade/batch-cancel-order': 'symbol batchMode orderList' },
    { fields: OF_SYMBOL, entries: ordersIn('orderList', 'symbol orderId clientOid') },
  ),
  ...endpoints('cancel', ['json'], rowsUnder('POST /api/', 'v2/spot/trade/cancel-plan-order')),
  ...endpoints(
    'cancel',
    ['json'],
    { 'POST /api/v2/spot/trade/batch-cancel-plan-order': 'symbolList' },
    { fields: { symbolLists: ['symbolList'] } },
  ),
  ...['crossed', 'isolated'].flatMap((mode) => [
    ...endpoints(
      'trade',
      ['json'],
      { [`POST /api/v2/margin/${mode}/place-order`]: MARGIN_ORDER },
      { fields: MARGIN },
    ),
    ...endpoints(
      'trade',
      ['json'],
      { [`POST /api/v2/margin/${mode}/batch-place-order`]: 'symbol orderList' },
      { fields: MARGIN, entries: ordersIn('orderList', MARGIN_ORDER) },
    ),
    ...endpoints(
      'cancel',
      ['json'],
      {
        [`POST /api/v2/margin/${mode}/cancel-order`]: 'symbol orderId clientOid',
        [`POST /api/v2/margin/${mode}/batch-cancel-order`]: 'symbol orderIdList',
      },
      { fields: OF_SYMBOL },
    ),
    ...endpoints(
      'trade',
      ['json'],
      {
        [`POST /api/v2/margin/${mode}/account/borrow`]: 'coin borrowAmount | symbol clientOid',
        [`POST /api/v2/margin/${mode}/account/repay`]: 'coin repayAmount | symbol clientOid',
      },
      { fields: DEBTS },
    ),
  ]),
];

const FUTURES_TRADES: readonly Endpoint[] = [
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v2/mix/order/place-order': FUTURES_ORDER,
      'POST /api/v2/mix/order/place-plan-order': FUTURES_PLAN,
      'POST /api/v2/mix/order/modify-order':
        'orderId clientOid symbol productType marginCoin newClientOid newSize newPrice ' +
        'newPresetStopSurplusPrice newPresetStopLossPrice',
      'POST /api/v2/mix/order/modify-plan-order':
        'planType orderId clientOid symbol productType marginCoin newSize newPrice newCallbackRatio ' +
        'newTriggerPrice newTriggerType newStopSurplusTriggerPrice newStopSurplusExecutePrice ' +
        'newStopSurplusTriggerType newStopLossTriggerPrice newStopLossExecutePrice ' +
        'newStopLossTriggerType',
    },
    { fields: FUTURES },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v2/mix/order/batch-place-order':
        'symbol productType marginCoin marginMode orderList',
    },
    { fields: FUTURES, entries: ordersIn('orderList', FUTURES_ORDER) },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v2/mix/order/place-tpsl-order': STOP_PLAN,
      'POST /api/v2/mix/order/modify-tpsl-order': `${STOP_PLAN} orderId`,
    },
    { fields: STOPS },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v2/mix/order/click-backhand':
        'symbol productType marginCoin size side tradeSide clientOid',
      'POST /api/v2/mix/order/close-positions': 'symbol productType holdSide',
      'POST /api/v2/mix/order/place-pos-tpsl': POSITION_STOP,
    },
    { fields: CLOSING },
  ),
  ...endpoints(
    'cancel',
    ['json'],
    {
      'POST /api/v2/mix/order/cancel-order': 'symbol productType marginCoin orderId clientOid',
      'POST /api/v2/mix/order/batch-cancel-orders': 'symbol productType marginCoin orderIdList',
      'POST /api/v2/mix/order/cancel-plan-order':
        'symbol productType marginCoin orderIdList planType',
    },
    { fields: OF_SYMBOL },
  ),
  ...endpoints('cancel', ['json'], rowsUnder('POST /api/', 'v2/mix/order/cancel-all-orders')),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v2/mix/account/set-auto-margin':
        'symbol productType autoMargin marginCoin amount holdSide',
      'POST /api/v2/mix/account/set-leverage':
        'symbol productType marginCoin leverage holdSide longLeverage shortLeverage',
      'POST /api/v2/mix/account/set-margin': 'symbol productType marginCoin holdSide amount',
      'POST /api/v2/mix/account/set-margin-mode': 'symbol productType marginCoin marginMode',
    },
    { fields: SETTINGS },
  ),
  ...endpoints(
    'trade',
    ['json'],
    rowsUnder(
      'POST /api/',
      `
      v2/mix/account/set-all-leverage
      v2/mix/account/set-asset-mode v2/mix/account/set-position-mode
      `,
    ),
  ),
];

const UNIFIED_TRADES: readonly Endpoint[] = [
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v3/trade/place-order': UNIFIED_ORDER },
    { fields: UNIFIED },
  ),
  ...endpoints(
    'trade',
    ['json_list'],
    { 'POST /api/v3/trade/place-batch': UNIFIED_ORDER },
    { fields: UNIFIED },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v3/trade/modify-order': UNIFIED_AMENDMENT },
    { fields: AMENDS_BY_ID },
  ),
  ...endpoints(
    'trade',
    ['json_list'],
    { 'POST /api/v3/trade/batch-modify-order': UNIFIED_AMENDMENT },
    { fields: AMENDS_BY_ID },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v3/trade/place-strategy-order': UNIFIED_STRATEGY },
    { fields: STRATEGIES },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v3/trade/modify-strategy-order': `${UNIFIED_STRATEGY} orderId` },
    { fields: AMENDS_BY_ID },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v3/trade/close-positions': 'category symbol posSide' },
    { fields: CLOSING },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v3/account/set-margin': 'category symbol posSide operation amount' },
    { fields: SETTINGS },
  ),
  ...endpoints(
    'cancel',
    ['json'],
    { 'POST /api/v3/trade/cancel-symbol-order': 'category symbol' },
    { fields: OF_SYMBOL },
  ),
  ...endpoints(
    'cancel',
    ['json'],
    rowsUnder(
      'POST /api/',
      'v3/trade/cancel-order v3/trade/countdown-cancel-all v3/trade/cancel-strategy-order',
    ),
  ),
  // for all symbols, or (leverage of margin) for a coin, where a symbol is ignored
  ...endpoints(
    'trade',
    ['json'],
    rowsUnder(
      'POST /api/',
      `
      v3/account/set-leverage v3/account/set-hold-mode v3/account/set-collateral-type
      v3/account/adjust-account-mode
      `,
    ),
  ),
  ...endpoints('cancel', ['json_list'], rowsUnder('POST /api/', 'v3/trade/cancel-batch')),
];

export const BITGET_TRADES: readonly Endpoint[] = [
  ...SPOT_TRADES,
  ...FUTURES_TRADES,
  ...UNIFIED_TRADES,
];
