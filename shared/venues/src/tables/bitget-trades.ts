/**
 * Bitget: endpoints that trade, and where their facts are: classic v2 and unified account v3. Convert,
 * copy trading, grid bots, stocks and P2P are not in the table.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import { namesIn, ordersIn, statesAny } from '../engine/nested-orders.js';
import type { Entry, FactFields } from '../engine/request-facts.js';
import type { SizeUnit } from '../engine/venue-facts.js';

/** Spot: a market order to buy states its size in the quote currency. */
export const BITGET_FIELDS: FactFields = {
  symbols: ['symbol', 'coin'],
  sides: ['side'],
  amounts: ['size', 'qty', 'amount'],
  unitOf,
  hasUndecidableAmount: hasAttachedStop,
  hasUndecidableSide: hasAttachedStop,
};

function unitOf(order: Entry): SizeUnit | undefined {
  const { orderType, side } = order;
  const isSized = Object.hasOwn(order, 'size') || Object.hasOwn(order, 'qty');
  if (!isSized) return 'amount';
  if (orderType === 'limit' || side === 'sell') return 'amount';
  return orderType === 'market' && side === 'buy' ? 'quote_amount' : undefined;
}

/** A plan says what its size counts, whatever its type and side (bitget.com/api-doc, spot/plan/Place-Plan-Order). */
const SPOT_PLAN: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['size'],
  unitOf: ({ planType }) => {
    if (planType === 'total') return 'quote_amount';
    return planType === undefined || planType === 'amount' ? 'amount' : undefined;
  },
};

/** Futures sizes are in the base coin, whatever the order's type. */
const FUTURES: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['size', 'newSize'],
  hasUndecidableAmount: hasAttachedStop,
  hasUndecidableSide: (order) => hasAttachedStop(order) || mayClose(order),
};

/** In hedge mode closing a long position is `buy` with `close`. */
function mayClose({ tradeSide }: Entry): boolean {
  return tradeSide !== undefined && tradeSide !== 'open' && tradeSide !== 'Open';
}

/** Closing or reversing a position acts on what is open. */
const CLOSING: FactFields = {
  symbols: ['symbol'],
  hasUndecidableAmount: () => true,
  hasUndecidableSide: () => true,
};

/**
 * A plan to take profit or stop a loss has the side of the position that it closes. Without a size it is one of the
 * whole position (bitget.com/api-doc, contract/plan/Place-Tpsl-Order).
 */
const STOPS: FactFields = {
  symbols: ['symbol'],
  amounts: ['size'],
  hasUndecidableAmount: ({ size }) => size === undefined,
  hasUndecidableSide: () => true,
};

/** Replaces a limit order of the symbol, on the side that it has, in the base coin. */
const REPLACES: FactFields = {
  symbols: ['symbol'],
  amounts: ['size'],
  unitOf: ({ orderType }) =>
    orderType === undefined || orderType === 'limit' ? 'amount' : undefined,
  hasUndecidableAmount: hasAttachedStop,
  hasUndecidableSide: hasAttachedStop,
};
/** Changes the order with an id, whatever symbol is beside it: nobody can tell what its size counts. */
const AMENDS_BY_ID: FactFields = {
  amountsInOtherUnits: ['size', 'qty'],
  hasUndecidableAmount: hasAttachedStop,
  hasUndecidableSide: hasAttachedStop,
};

const OF_SYMBOL: FactFields = { symbols: ['symbol'] };
const SETTINGS: FactFields = { symbols: ['symbol'], amountsInOtherUnits: ['amount'] };
/** Borrowed and repaid amounts count as trade: like leverage they change what an account owes. */
const DEBTS: FactFields = { symbols: ['coin'], amounts: ['borrowAmount', 'repayAmount'] };

/** The stops that an order attaches, or that an amendment of it changes. */
const SPOT_STOPS =
  'presetTakeProfitPrice executeTakeProfitPrice presetStopLossPrice executeStopLossPrice';
const FUTURES_STOPS =
  'presetStopSurplusPrice presetStopLossPrice presetStopSurplusExecutePrice ' +
  'presetStopLossExecutePrice';
const AMENDED_STOPS = 'newPresetStopSurplusPrice newPresetStopLossPrice';
const PLAN_STOPS =
  'stopSurplusTriggerPrice stopSurplusExecutePrice stopSurplusTriggerType stopLossTriggerPrice ' +
  'stopLossExecutePrice stopLossTriggerType';
const AMENDED_PLAN_STOPS =
  'newStopSurplusTriggerPrice newStopSurplusExecutePrice newStopSurplusTriggerType ' +
  'newStopLossTriggerPrice newStopLossExecutePrice newStopLossTriggerType';
const UNIFIED_STOPS =
  'tpTriggerBy slTriggerBy takeProfit stopLoss tpOrderType slOrderType tpLimitPrice slLimitPrice';

const ATTACHED_STOPS = namesIn(
  [SPOT_STOPS, FUTURES_STOPS, AMENDED_STOPS, PLAN_STOPS, AMENDED_PLAN_STOPS, UNIFIED_STOPS].join(
    ' ',
  ),
);

/**
 * An attached stop trades on the other side of the market. If a position is open already, it replaces the stop of that
 * position, however large (bitget.com/api-doc, contract/trade/Place-Order).
 */
function hasAttachedStop(order: Entry): boolean {
  return statesAny(order, ATTACHED_STOPS);
}

const WINDOW = 'requestTime receiveWindow';
const SPOT_ORDER =
  'symbol side orderType force price size clientOid triggerPrice tpslType stpMode ' +
  `${SPOT_STOPS} ${WINDOW}`;
const SPOT_REPLACEMENT = `symbol orderType price size clientOid orderId newClientOid ${SPOT_STOPS}`;
const MARGIN_ORDER =
  'symbol orderType price loanType force baseSize quoteSize clientOid side stpMode';
const FUTURES_ORDER =
  'symbol productType marginMode marginCoin size price side tradeSide orderType force clientOid ' +
  `reduceOnly ${FUTURES_STOPS} stpMode`;
const FUTURES_PLAN =
  'planType symbol force executePrice productType marginMode marginCoin size price callbackRatio triggerPrice ' +
  `triggerType side tradeSide orderType clientOid reduceOnly ${PLAN_STOPS} stpMode`;
const STOP_PLAN =
  'orderType force marginCoin productType symbol planType triggerPrice triggerType executePrice holdSide size ' +
  'rangeRate clientOid stpMode';
const POSITION_STOP =
  `marginCoin productType symbol ${PLAN_STOPS} stopSurplusSize stopLossSize holdSide stpMode ` +
  'stopSurplusClientOid stopLossClientOid';
const UNIFIED_ORDER =
  'category symbol qty price side orderType timeInForce posSide clientOid reduceOnly stpMode ' +
  `marginMode ${UNIFIED_STOPS} autoBorrow`;
const UNIFIED_AMENDMENT = `orderId clientOid symbol category qty price autoCancel requestId ${UNIFIED_STOPS}`;

const UNIFIED_STRATEGY = `category symbol qty side type tpslMode posSide clientOid reduceOnly marginMode ${UNIFIED_STOPS}`;

/** Margin orders state what they spend, as `quoteSize` when they buy at market. */
const MARGIN: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['baseSize'],
  quoteAmounts: ['quoteSize'],
};

const UNIFIED: FactFields = {
  symbols: ['symbol', 'coin'],
  sides: ['side'],
  amounts: ['qty'],
  unitOf: unitOfUnified,
  hasUndecidableAmount: hasAttachedStop,
  hasUndecidableSide: hasAttachedStop,
};

/**
 * Spot counts the quote currency when it buys at market; linear futures count the base coin. What coin futures count
 * is not documented where orders are, nor whether another spelling of a category is taken.
 */
function unitOfUnified(order: Entry): SizeUnit | undefined {
  switch (order['category']) {
    case undefined:
    case 'SPOT':
    case 'MARGIN':
      return unitOf(order);
    case 'USDT-FUTURES':
    case 'USDC-FUTURES':
      return 'amount';
    default:
      return undefined;
  }
}

/**
 * A plan to take profit or stop a loss. Without a quantity, which is in the base coin, or where it says `full`, it
 * closes any position that is open (bitget.com/api-doc, uta/strategy/Place-Strategy-Order).
 */
const STRATEGIES: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['qty'],
  hasUndecidableAmount: ({ qty, tpslMode }) =>
    qty === undefined || (tpslMode !== undefined && tpslMode !== 'partial'),
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
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /api/v2/spot/trade/place-plan-order':
        'symbol side triggerPrice orderType executePrice price planType size triggerType clientOid force ' +
        'stpMode',
    },
    { fields: SPOT_PLAN },
  ),
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
      'POST /api/v2/mix/order/modify-order': `orderId clientOid symbol productType marginCoin newClientOid newSize newPrice ${AMENDED_STOPS}`,
      'POST /api/v2/mix/order/modify-plan-order':
        'planType orderId clientOid symbol productType marginCoin newSize newPrice newCallbackRatio ' +
        `newTriggerPrice newTriggerType ${AMENDED_PLAN_STOPS}`,
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
