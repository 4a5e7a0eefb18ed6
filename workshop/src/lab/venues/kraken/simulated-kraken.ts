/** Kraken spot (docs.kraken.com/api/docs/rest-api). Every private call is a POST. */
import { formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import { isFault, type Exchange } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { isLive, type Order } from '../../exchange/orders.js';
import {
  plainParameters,
  readForm,
  type Parameters,
  type SimulatedVenue,
  type VenueOptions,
  type WireAnswer,
} from '../simulated-venue.js';
import { authenticate, type KrakenCall } from './kraken-authentication.js';
import {
  altnameOf,
  assetOf,
  errorOf,
  isAsset,
  isPair,
  orderView,
  pairOf,
  readTerms,
  tradeView,
} from './kraken-order-words.js';

/** An error is its text. */
type Handler = (call: KrakenCall) => object | string;

export function createKraken({ exchange, accounts }: VenueOptions): SimulatedVenue {
  const open = publicRoutes(exchange);
  const signed = { ...orderRoutes(exchange), ...accountRoutes(exchange) };
  const lastNonces = new Map<string, bigint>();
  return {
    exchange,
    handle(request) {
      const [, name] = /^\/0\/(?:public|private)\/(\w+)$/.exec(request.path) ?? [];
      const isPublic = request.path.startsWith('/0/public/');
      if (isPublic) return answerOf(open[name ?? '']?.(readForm(request.query)) ?? UNKNOWN);
      const handler = request.method === 'POST' ? signed[name ?? ''] : undefined;
      if (handler === undefined) return answerOf(UNKNOWN);
      const call = authenticate(request, accounts, lastNonces);
      return answerOf(typeof call === 'string' ? call : handler(call));
    },
  };
}

const UNKNOWN = 'EGeneral:Unknown method';

function answerOf(outcome: object | string): WireAnswer {
  const body = typeof outcome === 'string' ? { error: [outcome] } : { error: [], result: outcome };
  return { status: 200, body };
}

// oxlint-disable-next-line eslint/max-lines-per-function -- one short function for each endpoint
function orderRoutes(exchange: Exchange): Record<string, Handler> {
  const nameOf = ({ txid, cl_ord_id: clientId }: Parameters) => ({ id: txid, clientId });
  function place(account: string, given: Parameters): object | string {
    const market = exchange.markets.find((one) => isPair(one, given['pair']));
    if (market === undefined) return 'EQuery:Unknown asset pair';
    const terms = readTerms(market, given);
    if (terms === undefined) return 'EGeneral:Invalid arguments';
    const placed = exchange.place(account, terms);
    if (isFault(placed)) return errorOf(placed);
    const { order } = (orderView(placed) as { descr: { order: string } }).descr;
    return { txid: [placed.id], descr: { order } };
  }
  function batch({ account, parameters, body }: KrakenCall): object {
    const orders = Array.isArray(body['orders']) ? (body['orders'] as object[]) : [];
    return {
      orders: orders.map((one) => {
        const placed = place(account, { ...plainParameters({ ...one }), pair: parameters['pair'] });
        if (typeof placed === 'string') return { error: placed };
        const { txid, descr } = placed as { txid: string[]; descr: object };
        return { txid: txid[0], descr };
      }),
    };
  }
  function amend({ account, parameters }: KrakenCall): object | string {
    const { limit_price: price, order_qty: size, trigger_price: stop } = parameters;
    const amended = exchange.amend(account, nameOf(parameters), {
      ...(price !== undefined && { price: parseDecimal(price) }),
      ...(size !== undefined && { size: parseDecimal(size) }),
      ...(stop !== undefined && { stopPrice: parseDecimal(stop) }),
    });
    return isFault(amended) ? errorOf(amended) : { amend_id: amended.id };
  }
  const byId = (orders: readonly Order[]) =>
    Object.fromEntries(orders.map((order) => [order.id, orderView(order)]));
  return {
    AddOrder: ({ account, parameters }) => place(account, parameters),
    AddOrderBatch: batch,
    AmendOrder: amend,
    CancelOrder: ({ account, parameters }) => {
      const gone = exchange.cancel(account, nameOf(parameters));
      return isFault(gone) ? errorOf(gone) : { count: 1, pending: false };
    },
    CancelOrderBatch: ({ account, body }) => {
      const ids = Array.isArray(body['orders']) ? body['orders'] : [];
      const gone = ids.filter((id) => !isFault(exchange.cancel(account, { id: String(id) })));
      return { count: gone.length };
    },
    CancelAll: ({ account }) => ({ count: exchange.cancelAll(account).length }),
    OpenOrders: ({ account }) => ({ open: byId(exchange.orders(account).filter(isLive)) }),
    ClosedOrders: ({ account }) => {
      const closed = exchange.orders(account).filter((order) => !isLive(order));
      return { closed: byId(closed), count: closed.length };
    },
    QueryOrders: ({ account, parameters }) => {
      const ids = (parameters['txid'] ?? '').split(',');
      return byId(exchange.orders(account).filter(({ id }) => ids.includes(id)));
    },
    TradesHistory: ({ account }) => {
      const trades = exchange.trades(account);
      const views = Object.fromEntries(trades.map((trade) => [trade.id, tradeView(trade)]));
      return { trades: views, count: trades.length };
    },
  };
}

function accountRoutes(exchange: Exchange): Record<string, Handler> {
  return {
    Balance: ({ account }) =>
      Object.fromEntries(
        exchange
          .balances(account)
          .map(({ asset, free, held }) => [assetOf(asset), formatDecimal(free + held)]),
      ),
    BalanceEx: ({ account }) =>
      Object.fromEntries(
        exchange
          .balances(account)
          .map(({ asset, free, held }) => [
            assetOf(asset),
            { balance: formatDecimal(free + held), hold_trade: formatDecimal(held) },
          ]),
      ),
    Withdraw: ({ account, parameters }) => {
      const { asset = '', key, amount = '' } = parameters;
      const held = exchange.balances(account).find((one) => isAsset(one.asset, asset));
      if (held === undefined || key === undefined) return 'EGeneral:Invalid arguments';
      const made = exchange.withdraw(account, held.asset, parseDecimal(amount) ?? 0n, key);
      return isFault(made) ? 'EFunding:Insufficient funds' : { refid: made.id };
    },
  };
}

function publicRoutes(exchange: Exchange): Record<string, (query: Parameters) => object | string> {
  const assets = new Set(exchange.markets.flatMap(({ base, quote }) => [base, quote]));
  const byPair = (view: (market: Market) => object) => (query: Parameters) => {
    const { pair } = query;
    const names = pair?.split(',');
    const chosen = exchange.markets.filter(
      (market) => names === undefined || names.some((name) => isPair(market, name)),
    );
    return Object.fromEntries(chosen.map((market) => [pairOf(market), view(market)]));
  };
  return {
    Time: () => ({ unixtime: Math.floor(exchange.now() / 1000) }),
    Assets: () =>
      Object.fromEntries(
        [...assets].map((asset) => [
          assetOf(asset),
          {
            aclass: 'currency',
            altname: asset === 'BTC' ? 'XBT' : asset,
            decimals: 8,
            status: 'enabled',
          },
        ]),
      ),
    AssetPairs: byPair(pairInfo),
    Ticker: byPair((market) => {
      const text = formatDecimal(exchange.price(market));
      const ask = formatDecimal(exchange.price(market) + market.priceStep);
      const bid = formatDecimal(exchange.price(market) - market.priceStep);
      const twice = [text, text];
      return {
        a: [ask, '1', '1'],
        b: [bid, '1', '1'],
        c: [text, '1'],
        v: twice,
        p: twice,
        t: [1, 1],
        l: twice,
        h: twice,
        o: text,
      };
    }),
  };
}

function pairInfo(market: Market): object {
  return {
    altname: altnameOf(market),
    wsname: `${altnameOf(market).slice(0, 3)}/${market.quote}`,
    base: assetOf(market.base),
    quote: assetOf(market.quote),
    pair_decimals: 1,
    lot_decimals: 4,
    lot_multiplier: 1,
    leverage_buy: [],
    leverage_sell: [],
    fees: [[0, 0]],
    fees_maker: [[0, 0]],
    ordermin: formatDecimal(market.sizeStep),
    costmin: formatDecimal(market.minCost),
    tick_size: formatDecimal(market.priceStep),
    status: 'online',
  };
}
