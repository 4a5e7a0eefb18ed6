/** Orders between Kraken's words and the exchange's. */
import { divide, formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import type { Fault, Trade } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import type { Order, OrderTerms } from '../../exchange/orders.js';
import type { Parameters } from '../simulated-venue.js';

/** Kraken's own names of old assets. */
const ASSETS: Readonly<Record<string, string>> = { BTC: 'XXBT', ETH: 'XETH', USD: 'ZUSD' };
const SHORT: Readonly<Record<string, string>> = { BTC: 'XBT' };

export function assetOf(asset: string): string {
  return ASSETS[asset] ?? asset;
}

/** Under the name that Kraken gives it or a plain one. */
export function isAsset(asset: string, stated: string): boolean {
  return [asset, assetOf(asset), SHORT[asset]].includes(stated);
}

export function pairOf({ base, quote }: Market): string {
  return assetOf(base) + assetOf(quote);
}

export function altnameOf({ base, quote }: Market): string {
  return (SHORT[base] ?? base) + quote;
}

export function isPair(market: Market, stated = ''): boolean {
  return [pairOf(market), altnameOf(market)].includes(stated);
}

/** `stop-loss` has its trigger in `price`, `stop-loss-limit` its limit in `price2`. */
export function readTerms(market: Market, given: Parameters): OrderTerms | undefined {
  const {
    type,
    ordertype = '',
    volume = '',
    price,
    price2,
    oflags = '',
    cl_ord_id: clientId,
  } = given;
  const stated = parseDecimal(volume);
  if ((type !== 'buy' && type !== 'sell') || stated === undefined) return undefined;
  const isStop = ordertype === 'stop-loss' || ordertype === 'stop-loss-limit';
  const isMarket = ordertype === 'market' || ordertype === 'stop-loss';
  if (!isStop && !isMarket && ordertype !== 'limit') return undefined;
  const limit = isMarket ? undefined : parseDecimal((isStop ? price2 : price) ?? '');
  const stopPrice = isStop ? parseDecimal(price ?? '') : undefined;
  if ((!isMarket && limit === undefined) || (isStop && stopPrice === undefined)) return undefined;
  const flags = oflags.split(',');
  return {
    market,
    side: type,
    price: limit,
    stopPrice,
    ...(flags.includes('viqc') ? { cost: stated } : { size: stated }),
    isPostOnly: flags.includes('post'),
    isImmediate: given['timeinforce'] === 'IOC',
    clientId,
  };
}

const STATUS = { waiting: 'open', open: 'open', filled: 'closed', cancelled: 'canceled' } as const;

export function orderView(order: Order): object {
  const { terms, size, filled, paid, status, createdAt, updatedAt } = order;
  const { market, side, price, stopPrice } = terms;
  const word = price === undefined ? 'market' : 'limit';
  const stopWord = price === undefined ? 'stop-loss' : 'stop-loss-limit';
  return {
    status: STATUS[status],
    cl_ord_id: terms.clientId,
    opentm: createdAt / 1000,
    closetm: updatedAt / 1000,
    descr: {
      pair: altnameOf(market),
      type: side,
      ordertype: stopPrice === undefined ? word : stopWord,
      price: formatDecimal(stopPrice ?? price ?? 0n),
      price2: stopPrice === undefined ? '0' : formatDecimal(price ?? 0n),
      order: `${side} ${formatDecimal(size)} ${altnameOf(market)} @ ${word} ${formatDecimal(price ?? 0n)}`,
    },
    vol: formatDecimal(size),
    vol_exec: formatDecimal(filled),
    cost: formatDecimal(paid),
    fee: '0',
    price: filled === 0n ? '0' : formatDecimal(divide(paid, filled)),
    stopprice: formatDecimal(stopPrice ?? 0n),
    oflags: terms.isPostOnly === true ? 'post' : '',
    trades: [],
  };
}

export function tradeView({ orderId, market, side, price, size, at }: Trade): object {
  return {
    ordertxid: orderId,
    pair: pairOf(market),
    time: at / 1000,
    type: side,
    ordertype: 'limit',
    price: formatDecimal(price),
    vol: formatDecimal(size),
    cost: '0',
    fee: '0',
  };
}

const FAULTS: Readonly<Record<Fault, string>> = {
  bad_size: 'EGeneral:Invalid arguments:volume',
  bad_price: 'EOrder:Invalid price',
  too_small: 'EGeneral:Invalid arguments:volume minimum not met',
  not_enough_funds: 'EOrder:Insufficient funds',
  client_id_in_use: 'EOrder:Duplicate client order id',
  would_take: 'EOrder:Post only order',
  unknown_order: 'EOrder:Unknown order',
  order_not_live: 'EOrder:Unknown order',
};

export function errorOf(fault: Fault): string {
  return FAULTS[fault];
}
