/** Orders between Bybit's words and the exchange's. */
import { divide, formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import type { Fault, Trade } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import type { Order, OrderTerms } from '../../exchange/orders.js';
import type { Parameters } from '../simulated-venue.js';
import { refused, type BybitRefusal } from './bybit-authentication.js';

export function symbolOf({ base, quote }: Market): string {
  return base + quote;
}

/** A spot purchase at the market's price states its cost, unless it says otherwise. */
export function readTerms(market: Market, given: Parameters): OrderTerms | undefined {
  const { side, orderType, qty, price, timeInForce, triggerPrice, marketUnit } = given;
  const stated = parseDecimal(qty ?? '');
  const isLimit = orderType === 'Limit';
  const limit = isLimit ? parseDecimal(price ?? '') : undefined;
  const stopPrice = triggerPrice === undefined ? undefined : parseDecimal(triggerPrice);
  if (side !== 'Buy' && side !== 'Sell') return undefined;
  if (stated === undefined || (isLimit && limit === undefined)) return undefined;
  const isCost = market.kind === 'spot' && !isLimit && side === 'Buy' && marketUnit !== 'baseCoin';
  return {
    market,
    side: side === 'Buy' ? 'buy' : 'sell',
    price: limit,
    stopPrice,
    ...(isCost ? { cost: stated } : { size: stated }),
    isPostOnly: timeInForce === 'PostOnly',
    isImmediate: timeInForce === 'IOC' || timeInForce === 'FOK',
    isReduceOnly: given['reduceOnly'] === 'true',
    clientId: given['orderLinkId'],
  };
}

const STATUS = {
  waiting: 'Untriggered',
  open: 'New',
  filled: 'Filled',
  cancelled: 'Cancelled',
} as const;

export function orderView({
  terms,
  id,
  size,
  filled,
  paid,
  status,
  createdAt,
  updatedAt,
}: Order): object {
  const { market, side, price, stopPrice, clientId } = terms;
  return {
    orderId: id,
    orderLinkId: clientId ?? '',
    symbol: symbolOf(market),
    side: side === 'buy' ? 'Buy' : 'Sell',
    orderType: price === undefined ? 'Market' : 'Limit',
    price: formatDecimal(price ?? 0n),
    qty: formatDecimal(size),
    leavesQty: formatDecimal(size - filled),
    cumExecQty: formatDecimal(filled),
    cumExecValue: formatDecimal(paid),
    cumExecFee: '0',
    avgPrice: filled === 0n ? '' : formatDecimal(divide(paid, filled)),
    orderStatus: STATUS[status],
    timeInForce: terms.isPostOnly === true ? 'PostOnly' : 'GTC',
    triggerPrice: formatDecimal(stopPrice ?? 0n),
    stopOrderType: stopPrice === undefined ? '' : 'Stop',
    reduceOnly: terms.isReduceOnly === true,
    createdTime: String(createdAt),
    updatedTime: String(updatedAt),
  };
}

export function tradeView({ id, orderId, market, side, price, size, at }: Trade): object {
  return {
    symbol: symbolOf(market),
    execId: id,
    orderId,
    side: side === 'buy' ? 'Buy' : 'Sell',
    execPrice: formatDecimal(price),
    execQty: formatDecimal(size),
    execFee: '0',
    execTime: String(at),
    isMaker: false,
  };
}

export function refusalOf(fault: Fault): BybitRefusal {
  switch (fault) {
    case 'bad_size':
      return refused(170137, 'Order quantity has too many decimals.');
    case 'bad_price':
      return refused(170134, 'Order price has too many decimals.');
    case 'too_small':
      return refused(170140, 'Order value exceeded lower limit.');
    case 'not_enough_funds':
      return refused(170131, 'Insufficient balance.');
    case 'client_id_in_use':
      return refused(170141, 'Duplicate clientOrderId');
    case 'would_take':
      return refused(170218, 'The LIMIT-MAKER order is rejected due to invalid price.');
    case 'unknown_order':
    case 'order_not_live':
      return refused(170213, 'Order does not exist.');
  }
}
