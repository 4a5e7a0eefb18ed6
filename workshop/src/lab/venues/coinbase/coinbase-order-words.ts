/** Orders between Coinbase's words and the exchange's. */
import { divide, formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import type { Fault, Trade } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import type { Order, OrderTerms } from '../../exchange/orders.js';
import { plainParameters } from '../simulated-venue.js';

export function productOf({ base, quote }: Market): string {
  return `${base}-${quote}`;
}

/** `order_configuration` has one field, named after the kind of order. */
export function readTerms(market: Market, given: Record<string, unknown>): OrderTerms | undefined {
  const { side, client_order_id: clientId } = plainParameters(given);
  const configuration = (given['order_configuration'] ?? {}) as Record<string, object>;
  const [kind = '', content = {}] = Object.entries(configuration)[0] ?? [];
  const { base_size, quote_size, limit_price, stop_price, post_only } = plainParameters({
    ...content,
  });
  const isLimit = kind.includes('limit');
  const isStop = kind.startsWith('stop_limit');
  const size = base_size === undefined ? undefined : parseDecimal(base_size);
  const cost = quote_size === undefined ? undefined : parseDecimal(quote_size);
  const price = isLimit ? parseDecimal(limit_price ?? '') : undefined;
  const stopPrice = isStop ? parseDecimal(stop_price ?? '') : undefined;
  if ((side !== 'BUY' && side !== 'SELL') || (size === undefined && cost === undefined))
    return undefined;
  if ((isLimit && price === undefined) || (isStop && stopPrice === undefined)) return undefined;
  return {
    market,
    side: side === 'BUY' ? 'buy' : 'sell',
    size,
    cost,
    price,
    stopPrice,
    isPostOnly: post_only === 'true',
    isImmediate: kind.endsWith('_ioc'),
    clientId,
  };
}

const STATUS = { waiting: 'OPEN', open: 'OPEN', filled: 'FILLED', cancelled: 'CANCELLED' } as const;

export function orderView(order: Order): object {
  const { terms, id, size, filled, paid, status, createdAt, updatedAt } = order;
  const { market, side, price, stopPrice, clientId } = terms;
  const base_size = formatDecimal(size);
  const limit_price = formatDecimal(price ?? 0n);
  return {
    order_id: id,
    client_order_id: clientId ?? '',
    product_id: productOf(market),
    product_type: 'SPOT',
    side: side.toUpperCase(),
    status: STATUS[status],
    order_type: price === undefined ? 'MARKET' : stopPrice === undefined ? 'LIMIT' : 'STOP_LIMIT',
    time_in_force: 'GOOD_UNTIL_CANCELLED',
    order_configuration: configurationOf(order, base_size, limit_price),
    filled_size: formatDecimal(filled),
    filled_value: formatDecimal(paid),
    average_filled_price: filled === 0n ? '0' : formatDecimal(divide(paid, filled)),
    total_fees: '0',
    created_time: new Date(createdAt).toISOString(),
    last_fill_time: new Date(updatedAt).toISOString(),
  };
}

/** As the channel `user` has it. */
export function socketOrderView({
  terms,
  id,
  size,
  filled,
  paid,
  status,
  createdAt,
}: Order): object {
  const { market, side, price, stopPrice, clientId } = terms;
  return {
    order_id: id,
    client_order_id: clientId ?? '',
    product_id: productOf(market),
    order_side: side.toUpperCase(),
    order_type: price === undefined ? 'Market' : 'Limit',
    status: STATUS[status],
    limit_price: formatDecimal(price ?? 0n),
    ...(stopPrice !== undefined && { stop_price: formatDecimal(stopPrice) }),
    cumulative_quantity: formatDecimal(filled),
    leaves_quantity: formatDecimal(size - filled),
    filled_value: formatDecimal(paid),
    avg_price: filled === 0n ? '0' : formatDecimal(divide(paid, filled)),
    total_fees: '0',
    creation_time: new Date(createdAt).toISOString(),
  };
}

function configurationOf({ terms }: Order, base_size: string, limit_price: string): object {
  if (terms.price === undefined) return { market_market_ioc: { base_size } };
  if (terms.stopPrice === undefined) return { limit_limit_gtc: { base_size, limit_price } };
  const stop_price = formatDecimal(terms.stopPrice);
  return { stop_limit_stop_limit_gtc: { base_size, limit_price, stop_price } };
}

export function fillView({ id, orderId, market, side, price, size, at }: Trade): object {
  return {
    entry_id: id,
    trade_id: id,
    order_id: orderId,
    product_id: productOf(market),
    side: side.toUpperCase(),
    price: formatDecimal(price),
    size: formatDecimal(size),
    commission: '0',
    trade_time: new Date(at).toISOString(),
    liquidity_indicator: 'TAKER',
  };
}

const REASONS: Readonly<Record<Fault, string>> = {
  bad_size: 'INVALID_SIZE_PRECISION',
  bad_price: 'INVALID_PRICE_PRECISION',
  too_small: 'INVALID_ORDER_CONFIG',
  not_enough_funds: 'INSUFFICIENT_FUND',
  client_id_in_use: 'DUPLICATE_CLIENT_ORDER_ID',
  would_take: 'INVALID_LIMIT_PRICE_POST_ONLY',
  unknown_order: 'UNKNOWN_CANCEL_ORDER',
  order_not_live: 'UNKNOWN_CANCEL_ORDER',
};

export function reasonOf(fault: Fault): string {
  return REASONS[fault];
}
