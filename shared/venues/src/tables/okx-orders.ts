/**
 * OKX: orders, amendments, cancellations and closed positions, with the parameters that they take. Orders
 * on event contracts (`outcome`) are left out.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';
import type { Entry, FactFields } from '../engine/request-facts.js';
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

/** `sz` counts the base currency of a pair, or the quote currency, or contracts. */
export const OKX_ORDER_FIELDS: FactFields = {
  symbols: ['instId'],
  sides: ['side'],
  amounts: ['sz'],
  unitOf: unitOfOrder,
  hasUndecidableAmount: hasStop,
  hasUndecidableSide: hasStop,
};

/** The venue finds the order by instrument and id: an id of another instrument is not found. */
const AMENDMENT_FIELDS: FactFields = {
  symbols: ['instId'],
  amounts: ['newSz'],
  unitOf: (order) => (isOnPair(order) ? 'amount' : 'contracts'),
  hasUndecidableAmount: hasAttached,
  hasUndecidableSide: hasAttached,
};

/**
 * The venue heeds `tgtCcy` for some kinds of these orders only, so a purchase may count the quote currency whatever it
 * says.
 */
const ALGO_FIELDS: FactFields = {
  ...OKX_ORDER_FIELDS,
  unitOf: (order) => {
    if (!isOnPair(order)) return 'contracts';
    return isSale(order) && order['tgtCcy'] !== 'quote_ccy' ? 'amount' : undefined;
  },
  hasUndecidableAmount: (order) => hasAttached(order) || order['closeFraction'] !== undefined,
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

/** Whether an order attaches a stop, also under these names, which a stop itself uses for its own terms. */
function hasStop(order: Entry): boolean {
  const stops = ['tpTriggerPx', 'tpOrdPx', 'slTriggerPx', 'slOrdPx'];
  return hasAttached(order) || stops.some((name) => order[name] !== undefined);
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

export const OKX_ORDER_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('trade', ['json'], { [`${TRADE}order`]: ORDER }),
  ...endpoints('trade', ['json_list'], { [`${TRADE}batch-orders`]: ORDER }),
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
  ...endpoints('trade', ['json'], { [`${TRADE}order-algo`]: ALGO_ORDER }, { fields: ALGO_FIELDS }),
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
