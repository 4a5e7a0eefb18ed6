/**
 * OKX: orders, amendments, cancellations and closed positions, with the parameters that they take. Orders
 * on event contracts (`outcome`) are left out.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';
import { findStranger, namesIn } from '../engine/nested-orders.js';
import { isJsonObject } from '../engine/request-body.js';
import { parseAmount, parseSide, type Entry, type FactFields } from '../engine/request-facts.js';
import type { SizeUnit } from '../engine/venue-facts.js';

const TRADE = 'POST /api/v5/trade/';

const ORDER =
  'instId tdMode side ordType sz | ccy clOrdId tag posSide px pxUsd pxVol pxAmendType reduceOnly ' +
  'tgtCcy banAmend tradeQuoteCcy quickMgnType stpId stpMode isElpTakerAccess speedBump attachAlgoOrds ' +
  'tpTriggerPx tpOrdPx tpTriggerPxType slTriggerPx slOrdPx slTriggerPxType';
/** python-okx writes `cxlOnFailc`; ccxt leaves its own name `clientOrderId` behind. */
const AMENDMENT =
  'instId | ordId clOrdId cxlOnFail reqId newSz newPx newPxUsd newPxVol pxAmendType speedBump ' +
  'attachAlgoOrds newTpTriggerPx newTpTriggerPxType newTpOrdPx newTpOrdKind newSlTriggerPx ' +
  'newSlTriggerPxType newSlOrdPx newTriggerPx newOrdPx newTpTriggerRatio newSlTriggerRatio cxlOnFailc clientOrderId';
const CANCELLATION = 'instId | ordId clOrdId';
/** A take-profit, a stop-loss or both, of which one at most is executed. */
const ATTACHED_STOP = namesIn(
  'attachAlgoClOrdId tpTriggerPx tpTriggerRatio tpTriggerPxType tpOrdPx tpOrdKind slTriggerPx slTriggerRatio ' +
    'slTriggerPxType slOrdPx sz amendPxOnTriggerType callbackRatio callbackSpread activePx',
);

/** Orders that wait for a price or are worked over time. */
const ALGO_ORDER =
  'instId tdMode side ordType | sz closeFraction ccy posSide tag clOrdId algoClOrdId tgtCcy ' +
  'reduceOnly tradeQuoteCcy quickMgnType cxlOnClosePos tpTriggerPx tpTriggerPxType tpOrdPx tpOrdKind ' +
  'slTriggerPx slTriggerPxType slOrdPx triggerPx triggerPxType orderPx advanceOrdType attachAlgoOrds ' +
  'callbackRatio callbackSpread activePx pxVar pxSpread szLimit pxLimit timeInterval chaseType ' +
  'chaseVal maxChaseType maxChaseVal px';
const ALGO_AMENDMENT =
  'instId | algoId algoClOrdId cxlOnFail reqId newSz newTpTriggerPx newTpTriggerPxType newTpOrdPx ' +
  'newSlTriggerPx newSlTriggerPxType newSlOrdPx newTriggerPx newTriggerPxType newOrdPx newActivePx ' +
  'newCallbackRatio newCallbackSpread attachAlgoOrds';
const ALGO_CANCELLATION = 'instId | algoId algoClOrdId';

/** Ours, in an entry: the side of the stops that its order attaches. No endpoint takes a parameter of this name. */
const CLOSING_SIDE = 'side of attached stops';

/** `sz` counts the base currency of a pair, or the quote currency, or contracts. */
export const OKX_ORDER_FIELDS: FactFields = {
  symbols: ['instId'],
  sides: ['side', CLOSING_SIDE],
  amounts: ['sz'],
  unitOf: unitOfOrder,
  hasUndecidableAmount: hasUnreadStop,
  hasUndecidableSide: hasUnreadStop,
};

const ALGO_FIELDS: FactFields = {
  ...OKX_ORDER_FIELDS,
  unitOf: unitOfAlgoOrder,
  hasUndecidableAmount: (order) => isUnread(order) || order['closeFraction'] !== undefined,
  hasUndecidableSide: isUnread,
};

/** The venue finds the order by instrument and id: an id of another instrument is not found. */
const AMENDMENT_FIELDS: FactFields = {
  symbols: ['instId'],
  amounts: ['newSz'],
  unitOf: (order) => (isOnPair(order) ? 'amount' : 'contracts'),
  hasUndecidableAmount: hasAttached,
  hasUndecidableSide: hasAttached,
};

/** An amendment of one of these orders: only the order tells whether its new size counts the base currency. */
const ALGO_AMENDMENT_FIELDS: FactFields = {
  symbols: ['instId'],
  amounts: ['newSz'],
  unitOf: (order) => (isOnPair(order) ? undefined : 'contracts'),
  hasUndecidableAmount: hasAttached,
  hasUndecidableSide: hasAttached,
};

const CLOSE_FIELDS: FactFields = {
  symbols: ['instId'],
  hasUndecidableAmount: () => true,
  hasUndecidableSide: () => true,
};

/** A take-profit or stop-loss that an amendment adds, in the older spelling too. */
const ATTACHED = [
  'attachAlgoOrds',
  'newTpTriggerPx',
  'newTpOrdPx',
  'newTpTriggerRatio',
  'newSlTriggerPx',
  'newSlOrdPx',
  'newSlTriggerRatio',
];

/** Whether further orders are attached to this one, on the other side of the market and with sizes of their own. */
function hasAttached(order: Entry): boolean {
  return ATTACHED.some((name) => order[name] !== undefined);
}

/** The older spelling of one stop that an order attaches. A stop uses these names for its own terms. */
const STOP_TERMS = ['tpTriggerPx', 'tpOrdPx', 'slTriggerPx', 'slOrdPx'];

/**
 * The entries of an order. A stop that it attaches trades on the other side, and is as large as the order, unless it
 * says its part of it (several take-profits of one order): each part is an entry.
 */
function ordersOf(order: Entry): readonly Entry[] {
  const isOlder = !isStated(order['attachAlgoOrds']) && hasOlderStop(order);
  return isOlder ? withStops(order, [{}]) : algoOrdersOf(order);
}

/** As {@link ordersOf}, for orders that wait, whose own terms have the names of older stops. */
function algoOrdersOf(order: Entry): readonly Entry[] {
  const stops = order['attachAlgoOrds'];
  return isStated(stops) ? withStops(order, stops) : [order];
}

function withStops(order: Entry, stops: unknown): readonly Entry[] {
  const side = parseSide(order['side']);
  // left as it is, the order has a stop that nobody has read
  if (side === undefined || !isListOfStops(stops)) return [order];
  const other = side === 'buy' ? 'sell' : 'buy';
  const parts = stops.filter(({ sz }) => isStated(sz));
  const { instId } = order;
  return [
    { ...order, [CLOSING_SIDE]: other },
    // what was bought or sold is counted as of a limit order
    ...parts.map(({ sz }) => ({ instId, side: other, sz, ordType: 'limit' })),
  ];
}

function isListOfStops(value: unknown): value is readonly Entry[] {
  return (
    Array.isArray(value) &&
    value.every((stop) => isJsonObject(stop) && findStranger(stop, ATTACHED_STOP) === undefined)
  );
}

/** Whether an order attaches a stop of which neither side nor size was read. */
function hasUnreadStop(order: Entry): boolean {
  return isUnread(order) || (hasOlderStop(order) && order[CLOSING_SIDE] === undefined);
}

function isUnread(order: Entry): boolean {
  return hasAttached(order) && order[CLOSING_SIDE] === undefined;
}

function hasOlderStop(order: Entry): boolean {
  return STOP_TERMS.some((name) => isStated(order[name]));
}

/** As the venue has it: empty is absent. */
function isStated(value: unknown): boolean {
  return !(
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** BTC-USDT is a pair; BTC-USDT-SWAP and other names with more parts count contracts. */
function isOnPair({ instId }: Entry): boolean {
  return typeof instId === 'string' && /^[^-]+-[^-]+$/.test(instId);
}

function isSale({ side }: Entry): boolean {
  return typeof side === 'string' && side.toLowerCase() === 'sell';
}

const LIMIT_TYPES: readonly unknown[] = ['limit', 'post_only', 'fok', 'ioc'];

function unitOfOrder(order: Entry): SizeUnit | undefined {
  const { instId, ordType, tdMode, tgtCcy } = order;
  if (typeof instId !== 'string') return undefined;
  if (!isOnPair(order)) return 'contracts';
  if (tgtCcy === undefined) {
    if (isSale(order) || LIMIT_TYPES.includes(ordType)) return 'amount';
    // a market order to buy counts the quote currency unless it says otherwise
    return ordType === 'market' ? 'quote_amount' : undefined;
  }
  // the venue heeds the order's currency only in cash mode
  if (tdMode !== 'cash') return undefined;
  if (tgtCcy === 'base_ccy') return 'amount';
  return tgtCcy === 'quote_ccy' && ordType === 'market' ? 'quote_amount' : undefined;
}

/**
 * Sales and orders with a limit price count the base currency. The venue heeds `tgtCcy` of `conditional` orders in cash
 * that buy at the market, which count the quote currency without it. Of any other purchase nobody can tell.
 */
function unitOfAlgoOrder(order: Entry): SizeUnit | undefined {
  const { ordType, tdMode, tgtCcy = 'its default' } = order;
  if (!isOnPair(order)) return 'contracts';
  const prices = pricesOf(order);
  const isOf = (isSuch: (price: unknown) => boolean) => prices.length > 0 && prices.every(isSuch);
  const isLimited = isOf((price) => Number(parseAmount(price) ?? 0) > 0);
  if (isSale(order) || isLimited) return tgtCcy === 'quote_ccy' ? undefined : 'amount';
  if (ordType !== 'conditional' || tdMode !== 'cash') return undefined;
  if (tgtCcy === 'base_ccy') return 'amount';
  return isOf((price) => String(price) === '-1') ? 'quote_amount' : undefined;
}

/** Names of the prices at which it may trade, by its type. */
const PRICES_OF: Readonly<Record<string, readonly string[]>> = {
  trigger: ['orderPx'],
  conditional: ['tpOrdPx', 'slOrdPx'],
  oco: ['tpOrdPx', 'slOrdPx'],
};

/** Of each order that it may come to; -1 is the market's. */
function pricesOf(order: Entry): readonly unknown[] {
  const names = PRICES_OF[String(order['ordType'])] ?? [];
  return names.map((name) => order[name]).filter((price) => price !== undefined);
}

export const OKX_ORDER_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('trade', ['json'], { [`${TRADE}order`]: ORDER }, { entries: ordersOf }),
  ...endpoints('trade', ['json_list'], { [`${TRADE}batch-orders`]: ORDER }, { entries: ordersOf }),
  ...endpoints(
    'trade',
    ['json'],
    { [`${TRADE}amend-order`]: AMENDMENT },
    { fields: AMENDMENT_FIELDS },
  ),
  ...endpoints(
    'trade',
    ['json_list'],
    { [`${TRADE}amend-batch-orders`]: AMENDMENT },
    { fields: AMENDMENT_FIELDS },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { [`${TRADE}order-algo`]: ALGO_ORDER },
    { fields: ALGO_FIELDS, entries: algoOrdersOf },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { [`${TRADE}amend-algos`]: ALGO_AMENDMENT },
    { fields: ALGO_AMENDMENT_FIELDS },
  ),
  // the id alone chooses the order; the venue has begun to ignore the instrument beside it
  ...endpoints('cancel', ['json'], { [`${TRADE}cancel-order`]: CANCELLATION }, { fields: {} }),
  ...endpoints(
    'cancel',
    ['json_list'],
    {
      [`${TRADE}cancel-batch-orders`]: CANCELLATION,
      [`${TRADE}cancel-algos`]: ALGO_CANCELLATION,
      [`${TRADE}cancel-advance-algos`]: ALGO_CANCELLATION,
    },
    { fields: {} },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { [`${TRADE}close-position`]: 'instId mgnMode | posSide ccy autoCxl clOrdId tag' },
    { fields: CLOSE_FIELDS },
  ),
];
