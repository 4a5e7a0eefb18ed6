/** Orders between Deribit's words and the exchange's. Numbers are JSON numbers there. */
import { divide, formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import type { Fault, Trade } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import type { Order, OrderTerms } from '../../exchange/orders.js';
import type { Parameters } from '../simulated-venue.js';

export function instrumentOf({ base, quote, kind }: Market): string {
  return kind === 'spot' ? `${base}_${quote}` : `${base}_${quote}-PERPETUAL`;
}

export function numberOf(units: bigint): number {
  return Number(formatDecimal(units));
}

export function readTerms(
  market: Market,
  side: 'buy' | 'sell',
  given: Parameters,
): OrderTerms | undefined {
  const { amount = '', type = 'limit', price, trigger_price: trigger } = given;
  const size = parseDecimal(amount);
  const isMarket = type === 'market' || type === 'stop_market';
  const isStop = type === 'stop_limit' || type === 'stop_market';
  const limit = isMarket ? undefined : parseDecimal(price ?? '');
  const stopPrice = isStop ? parseDecimal(trigger ?? '') : undefined;
  if (size === undefined || (!isMarket && limit === undefined)) return undefined;
  if (isStop && stopPrice === undefined) return undefined;
  return {
    market,
    side,
    size,
    price: limit,
    stopPrice,
    isPostOnly: given['post_only'] === 'true',
    isImmediate: given['time_in_force'] === 'immediate_or_cancel',
    isReduceOnly: given['reduce_only'] === 'true',
  };
}

const STATE = {
  waiting: 'untriggered',
  open: 'open',
  filled: 'filled',
  cancelled: 'cancelled',
} as const;

export function orderView(order: Order): object {
  const { terms, id, size, filled, paid, status, createdAt, updatedAt } = order;
  const { market, side, price, stopPrice } = terms;
  const word = price === undefined ? 'market' : 'limit';
  return {
    order_id: id,
    instrument_name: instrumentOf(market),
    direction: side,
    order_type: stopPrice === undefined ? word : `stop_${word}`,
    price: price === undefined ? 'market_price' : numberOf(price),
    ...(stopPrice !== undefined && { trigger_price: numberOf(stopPrice), trigger: 'last_price' }),
    amount: numberOf(size),
    filled_amount: numberOf(filled),
    average_price: filled === 0n ? 0 : numberOf(divide(paid, filled)),
    order_state: STATE[status],
    time_in_force: 'good_til_cancelled',
    post_only: terms.isPostOnly === true,
    reduce_only: terms.isReduceOnly === true,
    label: '',
    commission: 0,
    creation_timestamp: createdAt,
    last_update_timestamp: updatedAt,
  };
}

export function tradeView({ id, orderId, market, side, price, size, at }: Trade): object {
  return {
    trade_id: id,
    order_id: orderId,
    instrument_name: instrumentOf(market),
    direction: side,
    price: numberOf(price),
    amount: numberOf(size),
    timestamp: at,
    fee: 0,
    fee_currency: market.quote,
    liquidity: 'T',
    order_type: 'limit',
  };
}

export interface DeribitError {
  readonly code: number;
  readonly message: string;
}

export function errorOf(fault: Fault): DeribitError {
  switch (fault) {
    case 'bad_size':
    case 'too_small':
      return { code: 10004, message: 'order_qty_too_low' };
    case 'bad_price':
      return { code: 10043, message: 'price_wrong_tick' };
    case 'not_enough_funds':
      return { code: 10009, message: 'not_enough_funds' };
    case 'client_id_in_use':
      return { code: 11029, message: 'invalid_arguments' };
    case 'would_take':
      return { code: 11054, message: 'post_only_reject' };
    case 'unknown_order':
      return { code: 10004, message: 'order_not_found' };
    case 'order_not_live':
      return { code: 11044, message: 'not_open_order' };
  }
}
