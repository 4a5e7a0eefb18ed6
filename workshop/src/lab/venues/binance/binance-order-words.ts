/** Orders between Binance's words and the exchange's. */
import { formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import type { Fault, Trade } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { isLive, type Order, type OrderTerms } from '../../exchange/orders.js';
import type { Parameters } from '../simulated-venue.js';
import { refused, type BinanceRefusal } from './binance-authentication.js';

export function symbolOf({ base, quote }: Market): string {
  return base + quote;
}

const LIMITS = [
  'LIMIT',
  'LIMIT_MAKER',
  'STOP',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
];
const STOPS = [
  'STOP',
  'STOP_MARKET',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_MARKET',
  'TAKE_PROFIT_LIMIT',
];

/** Undefined where the venue would say that a parameter is missing or malformed. */
export function readTerms(market: Market, given: Parameters): OrderTerms | undefined {
  const { side, type = '', quantity, quoteOrderQty, price, timeInForce } = given;
  if (side !== 'BUY' && side !== 'SELL') return undefined;
  const stop = given['stopPrice'] ?? given['triggerPrice'];
  const size = quantity === undefined ? undefined : parseDecimal(quantity);
  const cost = quoteOrderQty === undefined ? undefined : parseDecimal(quoteOrderQty);
  if (size === undefined && cost === undefined) return undefined;
  const limit = LIMITS.includes(type) ? parseDecimal(price ?? '') : undefined;
  if (LIMITS.includes(type) && limit === undefined) return undefined;
  const stopPrice = STOPS.includes(type) ? parseDecimal(stop ?? '') : undefined;
  if (STOPS.includes(type) && stopPrice === undefined) return undefined;
  return {
    market,
    side: side === 'BUY' ? 'buy' : 'sell',
    size,
    cost,
    price: limit,
    stopPrice,
    isPostOnly: type === 'LIMIT_MAKER' || timeInForce === 'GTX',
    isImmediate: timeInForce === 'IOC' || timeInForce === 'FOK',
    isReduceOnly: given['reduceOnly'] === 'true',
    clientId: given['newClientOrderId'] ?? given['clientAlgoId'],
  };
}

function typeOf({ terms }: Order): string {
  const { price, stopPrice, market } = terms;
  if (stopPrice === undefined) return price === undefined ? 'MARKET' : 'LIMIT';
  if (market.kind === 'perpetual') return price === undefined ? 'STOP_MARKET' : 'STOP';
  return price === undefined ? 'STOP_LOSS' : 'STOP_LOSS_LIMIT';
}

const STATUS = { waiting: 'NEW', open: 'NEW', filled: 'FILLED', cancelled: 'CANCELED' } as const;

export function orderView(order: Order): Record<string, unknown> {
  const { terms, id, size, filled, paid, status, createdAt, updatedAt } = order;
  return {
    symbol: symbolOf(terms.market),
    orderId: Number(id),
    clientOrderId: terms.clientId ?? `lab${id}`,
    price: formatDecimal(terms.price ?? 0n),
    stopPrice: formatDecimal(terms.stopPrice ?? 0n),
    origQty: formatDecimal(size),
    executedQty: formatDecimal(filled),
    cummulativeQuoteQty: formatDecimal(paid),
    status: STATUS[status],
    timeInForce: terms.isPostOnly === true ? 'GTX' : 'GTC',
    type: typeOf(order),
    side: terms.side.toUpperCase(),
    time: createdAt,
    updateTime: updatedAt,
    ...(terms.market.kind === 'spot'
      ? { transactTime: createdAt, isWorking: isLive(order) }
      : {
          positionSide: 'BOTH',
          closePosition: false,
          reduceOnly: terms.isReduceOnly === true,
          cumQuote: formatDecimal(paid),
        }),
  };
}

/** A conditional order of the futures, which have a service of their own for them. */
export function algoView(order: Order): Record<string, unknown> {
  const { terms, id, size, createdAt, updatedAt } = order;
  return {
    algoId: Number(id),
    clientAlgoId: terms.clientId ?? `lab${id}`,
    algoType: 'CONDITIONAL',
    orderType: typeOf(order),
    symbol: symbolOf(terms.market),
    side: terms.side.toUpperCase(),
    positionSide: 'BOTH',
    timeInForce: 'GTC',
    quantity: formatDecimal(size),
    algoStatus: STATUS[order.status],
    triggerPrice: formatDecimal(terms.stopPrice ?? 0n),
    price: formatDecimal(terms.price ?? 0n),
    createTime: createdAt,
    updateTime: updatedAt,
  };
}

export function tradeView({ id, orderId, market, side, price, size, at }: Trade): object {
  return {
    symbol: symbolOf(market),
    id: Number(id),
    orderId: Number(orderId),
    price: formatDecimal(price),
    qty: formatDecimal(size),
    commission: '0',
    commissionAsset: market.quote,
    time: at,
    ...(market.kind === 'spot'
      ? { isBuyer: side === 'buy', isMaker: false }
      : { buyer: side === 'buy', maker: false, side: side.toUpperCase(), positionSide: 'BOTH' }),
  };
}

export function refusalOf(fault: Fault): BinanceRefusal {
  switch (fault) {
    case 'bad_size':
      return refused(-1013, 'Filter failure: LOT_SIZE');
    case 'bad_price':
      return refused(-1013, 'Filter failure: PRICE_FILTER');
    case 'too_small':
      return refused(-1013, 'Filter failure: NOTIONAL');
    case 'not_enough_funds':
      return refused(-2010, 'Account has insufficient balance for requested action.');
    case 'client_id_in_use':
      return refused(-2010, 'Duplicate order sent.');
    case 'would_take':
      return refused(-2010, 'Order would immediately match and take.');
    case 'unknown_order':
    case 'order_not_live':
      return refused(-2011, 'Unknown order sent.');
  }
}
