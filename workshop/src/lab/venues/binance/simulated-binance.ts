/**
 * Binance spot and USD-M futures. One account has both; the futures keep positions beside the same balances. Requests
 * are answered in the forms of developers.binance.com; what is not here is 404, as the venue says it.
 */
import { formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import { isFault, type OrderName } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { isLive, type Order } from '../../exchange/orders.js';
import type { Parameters, SimulatedVenue, VenueOptions, WireAnswer } from '../simulated-venue.js';
import { readForm } from '../simulated-venue.js';
import {
  authenticate,
  refused,
  type BinanceCall,
  type BinanceRefusal,
} from './binance-authentication.js';
import {
  algoView,
  orderView,
  readTerms,
  refusalOf,
  symbolOf,
  tradeView,
} from './binance-order-words.js';
import { exchangeInfo, ticker } from './binance-public.js';

type Outcome = object | BinanceRefusal;
type Handler = (call: BinanceCall) => Outcome;

const BAD_SYMBOL = refused(-1121, 'Invalid symbol.');
const MALFORMED = refused(
  -1102,
  'A mandatory parameter was not sent, was empty/null, or malformed.',
);
const NO_SUCH_ORDER = refused(-2013, 'Order does not exist.');

export function createBinance({ exchange, accounts }: VenueOptions): SimulatedVenue {
  const spot = tradingRoutes('spot', exchange);
  const futures = tradingRoutes('perpetual', exchange);
  const open = publicRoutes(exchange);
  const signed: Readonly<Record<string, Handler>> = {
    ...prefixed('/api/v3', spot),
    ...prefixed('/fapi/v1', { ...futures, ...batchRoutes(futures), ...algoRoutes(exchange) }),
    ...accountRoutes(exchange),
  };
  return {
    exchange,
    handle(request) {
      const name = `${request.method} ${request.path}`;
      const told = open[name];
      if (told !== undefined) return answerOf(told(readForm(request.query)));
      const handler = signed[name];
      if (handler === undefined) return { status: 404, body: { code: -1, msg: 'Not found' } };
      const call = authenticate(request, accounts, exchange.now());
      return answerOf(isRefusal(call) ? call : handler(call));
    },
  };
}

function answerOf(outcome: Outcome): WireAnswer {
  return isRefusal(outcome)
    ? { status: outcome.status, body: { code: outcome.code, msg: outcome.msg } }
    : { status: 200, body: outcome };
}

/** Orders have a status as well, which is a word. */
function isRefusal(outcome: Outcome): outcome is BinanceRefusal {
  return 'status' in outcome && typeof outcome.status === 'number';
}

function prefixed(
  prefix: string,
  routes: Readonly<Record<string, Handler>>,
): Record<string, Handler> {
  return Object.fromEntries(
    Object.entries(routes).map(([name, handler]) => [name.replace(' /', ` ${prefix}/`), handler]),
  );
}

type Exchange = VenueOptions['exchange'];

function publicRoutes(exchange: Exchange): Record<string, (query: Parameters) => Outcome> {
  const of = (kind: Market['kind']) => exchange.markets.filter((one) => one.kind === kind);
  const ofSymbol =
    (kind: Market['kind'], view: (market: Market) => object) => (query: Parameters) => {
      if (query['symbol'] === undefined) return of(kind).map(view);
      const market = of(kind).find((one) => symbolOf(one) === query['symbol']);
      return market === undefined ? BAD_SYMBOL : view(market);
    };
  const view = (market: Market): object => ticker(exchange, market);
  const time = () => ({ serverTime: exchange.now() });
  return {
    'GET /api/v3/ping': () => ({}),
    'GET /fapi/v1/ping': () => ({}),
    'GET /api/v3/time': time,
    'GET /fapi/v1/time': time,
    'GET /api/v3/exchangeInfo': () => exchangeInfo(of('spot'), exchange.now()),
    'GET /fapi/v1/exchangeInfo': () => exchangeInfo(of('perpetual'), exchange.now()),
    'GET /dapi/v1/exchangeInfo': () => exchangeInfo([], exchange.now()),
    'GET /api/v3/ticker/24hr': ofSymbol('spot', view),
    'GET /api/v3/ticker/price': ofSymbol('spot', view),
    'GET /api/v3/ticker/bookTicker': ofSymbol('spot', view),
    'GET /fapi/v1/ticker/24hr': ofSymbol('perpetual', view),
    'GET /fapi/v1/ticker/price': ofSymbol('perpetual', view),
    'GET /fapi/v1/ticker/bookTicker': ofSymbol('perpetual', view),
  };
}

function nameOf({ orderId, origClientOrderId, algoId, clientAlgoId }: Parameters): OrderName {
  return { id: orderId ?? algoId, clientId: origClientOrderId ?? clientAlgoId };
}

// oxlint-disable-next-line eslint/max-lines-per-function -- one short function for each endpoint
function tradingRoutes(kind: Market['kind'], exchange: Exchange): Record<string, Handler> {
  const marketOf = ({ symbol }: Parameters): Market | undefined =>
    exchange.markets.find((one) => one.kind === kind && symbolOf(one) === symbol);
  const ordersOf = ({ account, parameters }: BinanceCall): Order[] =>
    exchange
      .orders(account.name)
      .filter(({ terms }) => terms.market.kind === kind)
      .filter(
        ({ terms }) => parameters['symbol'] === undefined || terms.market === marketOf(parameters),
      );

  function place({ account, parameters }: BinanceCall): Outcome {
    const market = marketOf(parameters);
    if (market === undefined) return BAD_SYMBOL;
    const terms = readTerms(market, parameters);
    if (terms === undefined) return MALFORMED;
    const placed = exchange.place(account.name, terms);
    return isFault(placed) ? refusalOf(placed) : orderView(placed);
  }
  function cancel({ account, parameters }: BinanceCall): Outcome {
    if (marketOf(parameters) === undefined) return BAD_SYMBOL;
    const cancelled = exchange.cancel(account.name, nameOf(parameters));
    return isFault(cancelled) ? refusalOf(cancelled) : orderView(cancelled);
  }
  function look({ account, parameters }: BinanceCall): Outcome {
    const order = exchange.find(account.name, nameOf(parameters));
    return order === undefined ? NO_SUCH_ORDER : orderView(order);
  }
  function amend({ account, parameters }: BinanceCall): Outcome {
    const { price, quantity, newQty } = parameters;
    const size = quantity ?? newQty;
    const amended = exchange.amend(account.name, nameOf(parameters), {
      ...(price !== undefined && { price: parseDecimal(price) }),
      ...(size !== undefined && { size: parseDecimal(size) }),
    });
    return isFault(amended) ? refusalOf(amended) : orderView(amended);
  }
  function replace(call: BinanceCall): Outcome {
    const { cancelOrderId: orderId, cancelOrigClientOrderId: origClientOrderId } = call.parameters;
    const gone = cancel({
      ...call,
      parameters: { ...call.parameters, orderId, origClientOrderId },
    });
    if (isRefusal(gone)) return refused(-2022, 'Order cancel-replace failed.');
    const placed = place(call);
    return {
      cancelResult: 'SUCCESS',
      newOrderResult: isRefusal(placed) ? 'FAILURE' : 'SUCCESS',
      cancelResponse: gone,
      newOrderResponse: placed,
    };
  }
  const cancelAll = ({ account, parameters }: BinanceCall): Outcome => {
    const market = marketOf(parameters);
    if (market === undefined) return BAD_SYMBOL;
    const gone = exchange.cancelAll(account.name, market).map(orderView);
    return kind === 'spot'
      ? gone
      : { code: 200, message: 'The operation of cancel all open order is done.' };
  };
  const trades = ({ account, parameters }: BinanceCall): Outcome =>
    exchange
      .trades(account.name)
      .filter(({ market }) => market === marketOf(parameters))
      .map(tradeView);
  const listed = (call: BinanceCall): Outcome => ordersOf(call).map(orderView);
  return {
    'POST /order': place,
    'POST /order/test': ({ parameters }) => (marketOf(parameters) === undefined ? BAD_SYMBOL : {}),
    'GET /order': look,
    'DELETE /order': cancel,
    'GET /openOrders': (call) => ordersOf(call).filter(isLive).map(orderView),
    'GET /allOrders': listed,
    ...(kind === 'spot'
      ? {
          'POST /order/cancelReplace': replace,
          'PUT /order/amend/keepPriority': amend,
          'DELETE /openOrders': cancelAll,
          'GET /myTrades': trades,
        }
      : { 'PUT /order': amend, 'DELETE /allOpenOrders': cancelAll, 'GET /userTrades': trades }),
  };
}

/** Several orders of the futures in one request; each has its own answer. */
function batchRoutes(routes: Readonly<Record<string, Handler>>): Record<string, Handler> {
  const each = (handler: Handler, call: BinanceCall, given: readonly Parameters[]): Outcome =>
    given.map((one) => {
      const outcome = handler({ ...call, parameters: one });
      return isRefusal(outcome) ? { code: outcome.code, msg: outcome.msg } : outcome;
    });
  return {
    'POST /batchOrders': (call) => {
      const orders = readList(call.parameters['batchOrders']) as Parameters[] | undefined;
      return orders === undefined ? MALFORMED : each(routes['POST /order']!, call, orders);
    },
    'DELETE /batchOrders': (call) => {
      const { symbol, orderIdList, orderidlist } = call.parameters;
      const ids = readList(orderIdList ?? orderidlist);
      const given = ids?.map((id) => ({ symbol, orderId: String(id) }));
      return given === undefined ? MALFORMED : each(routes['DELETE /order']!, call, given);
    },
  };
}

function readList(text = ''): unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function algoRoutes(exchange: Exchange): Record<string, Handler> {
  const markets = exchange.markets.filter(({ kind }) => kind === 'perpetual');
  return {
    'POST /algoOrder': ({ account, parameters }) => {
      const market = markets.find((one) => symbolOf(one) === parameters['symbol']);
      if (market === undefined) return BAD_SYMBOL;
      const terms = readTerms(market, parameters);
      if (terms?.stopPrice === undefined) return MALFORMED;
      const placed = exchange.place(account.name, terms);
      return isFault(placed) ? refusalOf(placed) : algoView(placed);
    },
    'GET /algoOrder': ({ account, parameters }) => {
      const order = exchange.find(account.name, nameOf(parameters));
      return order === undefined ? NO_SUCH_ORDER : algoView(order);
    },
    'DELETE /algoOrder': ({ account, parameters }) => {
      const gone = exchange.cancel(account.name, nameOf(parameters));
      if (isFault(gone)) return refusalOf(gone);
      return {
        algoId: Number(gone.id),
        clientAlgoId: gone.terms.clientId,
        code: '200',
        msg: 'success',
      };
    },
    'GET /openAlgoOrders': ({ account }) =>
      exchange
        .orders(account.name)
        .filter(({ status }) => status === 'waiting')
        .map(algoView),
  };
}

function accountRoutes(exchange: Exchange): Record<string, Handler> {
  return {
    'GET /api/v3/account': ({ account }) => ({
      canTrade: true,
      accountType: 'SPOT',
      updateTime: exchange.now(),
      balances: exchange.balances(account.name).map(({ asset, free, held }) => ({
        asset,
        free: formatDecimal(free),
        locked: formatDecimal(held),
      })),
    }),
    'GET /fapi/v2/account': ({ account }) => futuresAccount(exchange, account.name),
    'GET /fapi/v3/account': ({ account }) => futuresAccount(exchange, account.name),
    'GET /fapi/v2/positionRisk': ({ account }) => positions(exchange, account.name),
    'GET /fapi/v3/positionRisk': ({ account }) => positions(exchange, account.name),
    'GET /sapi/v1/capital/config/getall': ({ account }) =>
      exchange.balances(account.name).map(({ asset, free }) => ({
        coin: asset,
        name: asset,
        free: formatDecimal(free),
        networkList: [],
      })),
    'GET /sapi/v1/margin/allPairs': () => [],
    'GET /sapi/v1/margin/isolated/allPairs': () => [],
    'POST /sapi/v1/capital/withdraw/apply': ({ account, parameters }) => {
      const { coin, amount = '', address } = parameters;
      if (coin === undefined || address === undefined) return MALFORMED;
      const given = exchange.withdraw(account.name, coin, parseDecimal(amount) ?? 0n, address);
      if (isFault(given)) return refused(-4026, 'User has insufficient balance');
      return { id: given.id };
    },
  };
}

function futuresAccount(exchange: Exchange, account: string): object {
  const assets = exchange.balances(account).map(({ asset, free }) => {
    const text = formatDecimal(free);
    return { asset, walletBalance: text, availableBalance: text, marginBalance: text };
  });
  return { assets, positions: positions(exchange, account) };
}

function positions(exchange: Exchange, account: string): object[] {
  return exchange.markets
    .filter(({ kind }) => kind === 'perpetual')
    .map((market) => ({
      symbol: symbolOf(market),
      positionAmt: formatDecimal(exchange.position(account, market)),
      positionSide: 'BOTH',
      markPrice: formatDecimal(exchange.price(market)),
    }));
}
