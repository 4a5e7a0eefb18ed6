/** Orders between OKX' words and the exchange's. */
import {
  decimal,
  divide,
  formatDecimal,
  multiply,
  parseDecimal,
} from '../../exchange/exact-decimal.js';
import type { Fault, Trade } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import type { Order, OrderTerms } from '../../exchange/orders.js';
import type { Parameters } from '../simulated-venue.js';

/** Base of one contract of a swap. */
export const CONTRACT = decimal('0.01');

export function instrumentOf({ base, quote, kind }: Market): string {
  return kind === 'spot' ? `${base}-${quote}` : `${base}-${quote}-SWAP`;
}

export interface Failed {
  readonly sCode: string;
  readonly sMsg: string;
}

/** What a swap's order counts is contracts. */
function sizeIn(market: Market, stated: bigint): bigint {
  return market.kind === 'spot' ? stated : multiply(stated, CONTRACT);
}

export function writtenSize(market: Market, size: bigint): string {
  return formatDecimal(market.kind === 'spot' ? size : divide(size, CONTRACT));
}

export function readSize(market: Market, text: string): bigint | undefined {
  const stated = parseDecimal(text);
  return stated === undefined ? undefined : sizeIn(market, stated);
}

/** A conditional order names its price `orderPx`, -1 for the market's, and where it wakes `triggerPx` or `slTriggerPx`. */
export function readTerms(market: Market, given: Parameters): OrderTerms | undefined {
  const { side, ordType, sz, px, tgtCcy, clOrdId } = given;
  const trigger = given['triggerPx'] ?? given['slTriggerPx'];
  const stated = parseDecimal(sz ?? '');
  if ((side !== 'buy' && side !== 'sell') || stated === undefined) return undefined;
  const limit = trigger === undefined ? px : (given['orderPx'] ?? given['slOrdPx']);
  const isMarket = trigger === undefined ? ordType === 'market' : limit === '-1';
  const price = isMarket ? undefined : parseDecimal(limit ?? '');
  const stopPrice = trigger === undefined ? undefined : parseDecimal(trigger);
  if (!isMarket && price === undefined) return undefined;
  const isCost = market.kind === 'spot' && isMarket && side === 'buy' && tgtCcy !== 'base_ccy';
  return {
    market,
    side,
    price,
    stopPrice,
    ...(isCost && trigger === undefined ? { cost: stated } : { size: sizeIn(market, stated) }),
    isPostOnly: ordType === 'post_only',
    isImmediate: ordType === 'ioc' || ordType === 'fok',
    isReduceOnly: given['reduceOnly'] === 'true',
    clientId: clOrdId ?? given['algoClOrdId'],
  };
}

const STATE = { waiting: 'live', open: 'live', filled: 'filled', cancelled: 'canceled' } as const;

export function orderView(order: Order): object {
  const { terms, id, size, filled, paid, status, createdAt, updatedAt } = order;
  const { market, side, price, stopPrice, clientId } = terms;
  return {
    instType: market.kind === 'spot' ? 'SPOT' : 'SWAP',
    instId: instrumentOf(market),
    ...(stopPrice === undefined
      ? { ordId: id, clOrdId: clientId ?? '' }
      : { algoId: id, algoClOrdId: clientId ?? '', triggerPx: formatDecimal(stopPrice) }),
    side,
    ordType: stopPrice === undefined ? (price === undefined ? 'market' : 'limit') : 'trigger',
    px: price === undefined ? '' : formatDecimal(price),
    ordPx: price === undefined ? '-1' : formatDecimal(price),
    sz: writtenSize(market, size),
    accFillSz: writtenSize(market, filled),
    avgPx: filled === 0n ? '' : formatDecimal(divide(paid, filled)),
    state: STATE[status],
    tdMode: 'cash',
    fee: '0',
    feeCcy: market.quote,
    cTime: String(createdAt),
    uTime: String(updatedAt),
  };
}

export function fillView({ id, orderId, market, side, price, size, at }: Trade): object {
  return {
    instType: market.kind === 'spot' ? 'SPOT' : 'SWAP',
    instId: instrumentOf(market),
    tradeId: id,
    billId: id,
    ordId: orderId,
    side,
    fillPx: formatDecimal(price),
    fillSz: writtenSize(market, size),
    fee: '0',
    feeCcy: market.quote,
    ts: String(at),
  };
}

export function failureOf(fault: Fault): Failed {
  switch (fault) {
    case 'bad_size':
      return { sCode: '51121', sMsg: 'Order quantity must be a multiple of the lot size.' };
    case 'bad_price':
      return { sCode: '51006', sMsg: 'Order price is not within the price limit.' };
    case 'too_small':
      return { sCode: '51020', sMsg: 'Your order should meet or exceed the minimum order amount.' };
    case 'not_enough_funds':
      return { sCode: '51008', sMsg: 'Order failed. Insufficient balance in account.' };
    case 'client_id_in_use':
      return { sCode: '51016', sMsg: 'Client order ID already exists.' };
    case 'would_take':
      return { sCode: '51025', sMsg: 'The order would immediately match and take.' };
    case 'unknown_order':
      return { sCode: '51603', sMsg: 'Order does not exist.' };
    case 'order_not_live':
      return {
        sCode: '51400',
        sMsg: 'Cancellation failed as the order has been filled, canceled or does not exist.',
      };
  }
}
