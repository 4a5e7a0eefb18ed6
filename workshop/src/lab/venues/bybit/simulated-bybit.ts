/** Bybit v5, spot and linear perpetuals of one unified account (bybit-exchange.github.io/docs/v5). */
import { formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import { isFault, type Exchange, type OrderName } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { isLive } from '../../exchange/orders.js';
import {
  plainParameters,
  readForm,
  readJson,
  type Parameters,
  type SimulatedVenue,
  type VenueOptions,
} from '../simulated-venue.js';
import { authenticate, refused, type BybitRefusal } from './bybit-authentication.js';
import { orderView, readTerms, refusalOf, symbolOf, tradeView } from './bybit-order-words.js';
import { openBybitSocket } from './bybit-socket.js';
import { walletView } from './bybit-wallet.js';

interface Call {
  readonly account: string;
  readonly parameters: Parameters;
  /** The orders of a batch. */
  readonly request: readonly Parameters[];
}

type Outcome = object | BybitRefusal;
type Handler = (call: Call) => Outcome;

const BAD_SYMBOL = refused(10001, 'params error: symbol invalid');
const MALFORMED = refused(10001, 'Request parameter error.');

export function createBybit({ exchange, accounts }: VenueOptions): SimulatedVenue {
  const open = publicRoutes(exchange);
  const signed = { ...orderRoutes(exchange), ...accountRoutes(exchange) };
  const answer = (outcome: Outcome) => {
    const head = isRefusal(outcome)
      ? { retCode: outcome.retCode, retMsg: outcome.retMsg, result: {} }
      : { retCode: 0, retMsg: 'OK', result: outcome };
    return {
      status: 200,
      body: { retExtInfo: {}, ...head, ...batchCodes(outcome), time: exchange.now() },
    };
  };
  return {
    exchange,
    openSocket: (path) =>
      path === '/v5/private' ? openBybitSocket(exchange, accounts) : undefined,
    handle(request) {
      const name = `${request.method} ${request.path}`;
      const told = open[name];
      if (told !== undefined) return answer(told(readForm(request.query)));
      const handler = signed[name];
      if (handler === undefined) return { status: 404, body: {} };
      const account = authenticate(request, accounts, exchange.now());
      if (isRefusal(account)) return answer(account);
      const body = readJson(request.body) ?? {};
      const parameters = { ...readForm(request.query), ...plainParameters(body) };
      const list = Array.isArray(body['request']) ? (body['request'] as object[]) : [];
      const batch = list.map((one) => plainParameters({ ...one }));
      return answer(handler({ account: account.name, parameters, request: batch }));
    },
  };
}

function isRefusal(outcome: object): outcome is BybitRefusal {
  return 'retCode' in outcome;
}

/** A batch is answered in two lists: what came of each order, and each one's code. */
function batchCodes(outcome: Outcome): object {
  return 'codes' in outcome ? { retExtInfo: { list: outcome.codes } } : {};
}

function findMarket(exchange: Exchange, { category, symbol }: Parameters): Market | undefined {
  const kind = category === 'spot' ? 'spot' : 'perpetual';
  return exchange.markets.find((one) => one.kind === kind && symbolOf(one) === symbol);
}

function nameOf({ orderId, orderLinkId }: Parameters): OrderName {
  return { id: orderId, clientId: orderLinkId };
}

// oxlint-disable-next-line eslint/max-lines-per-function -- one short function for each endpoint
function orderRoutes(exchange: Exchange): Record<string, Handler> {
  const idsOf = (order: { id: string; terms: { clientId?: string | undefined } }) => ({
    orderId: order.id,
    orderLinkId: order.terms.clientId ?? '',
  });
  function place({ account, parameters }: Call): Outcome {
    const market = findMarket(exchange, parameters);
    if (market === undefined) return BAD_SYMBOL;
    const terms = readTerms(market, parameters);
    if (terms === undefined) return MALFORMED;
    const placed = exchange.place(account, terms);
    return isFault(placed) ? refusalOf(placed) : idsOf(placed);
  }
  function amend({ account, parameters }: Call): Outcome {
    const { price, qty, triggerPrice } = parameters;
    const amended = exchange.amend(account, nameOf(parameters), {
      ...(price !== undefined && { price: parseDecimal(price) }),
      ...(qty !== undefined && { size: parseDecimal(qty) }),
      ...(triggerPrice !== undefined && { stopPrice: parseDecimal(triggerPrice) }),
    });
    return isFault(amended) ? refusalOf(amended) : idsOf(amended);
  }
  function cancel({ account, parameters }: Call): Outcome {
    const gone = exchange.cancel(account, nameOf(parameters));
    return isFault(gone) ? refusalOf(gone) : idsOf(gone);
  }
  const each = (handler: Handler) => (call: Call) => {
    const { category } = call.parameters;
    const outcomes = call.request.map((one) =>
      handler({ ...call, parameters: { ...one, category } }),
    );
    return {
      list: outcomes.map((one) => (isRefusal(one) ? {} : one)),
      codes: outcomes.map((one) =>
        isRefusal(one) ? { code: one.retCode, msg: one.retMsg } : { code: 0, msg: 'OK' },
      ),
    };
  };
  const ordersOf = ({ account, parameters }: Call) => {
    const { category, orderId, orderLinkId, symbol } = parameters;
    const kind = category === 'spot' ? 'spot' : 'perpetual';
    return exchange
      .orders(account)
      .filter(({ terms }) => terms.market.kind === kind)
      .filter(({ terms }) => symbol === undefined || symbolOf(terms.market) === symbol)
      .filter(({ id }) => orderId === undefined || id === orderId)
      .filter(({ terms }) => orderLinkId === undefined || terms.clientId === orderLinkId);
  };
  return {
    'POST /v5/order/create': place,
    'POST /v5/order/amend': amend,
    'POST /v5/order/cancel': cancel,
    'POST /v5/order/create-batch': each(place),
    'POST /v5/order/amend-batch': each(amend),
    'POST /v5/order/cancel-batch': each(cancel),
    'POST /v5/order/cancel-all': ({ account, parameters }) => {
      const market = findMarket(exchange, parameters);
      return { list: exchange.cancelAll(account, market).map(idsOf), success: '1' };
    },
    'GET /v5/order/realtime': (call) => {
      const { orderId, orderLinkId } = call.parameters;
      const isNamed = orderId !== undefined || orderLinkId !== undefined;
      const found = ordersOf(call).filter((order) => isNamed || isLive(order));
      return {
        category: call.parameters['category'],
        list: found.map(orderView),
        nextPageCursor: '',
      };
    },
    'GET /v5/order/history': (call) => ({
      category: call.parameters['category'],
      list: ordersOf(call).map(orderView),
      nextPageCursor: '',
    }),
    'GET /v5/execution/list': ({ account, parameters }) => ({
      category: parameters['category'],
      list: exchange
        .trades(account)
        .filter(({ market }) => market === findMarket(exchange, parameters))
        .map(tradeView),
      nextPageCursor: '',
    }),
  };
}

function accountRoutes(exchange: Exchange): Record<string, Handler> {
  return {
    'GET /v5/user/query-api': () => ({ readOnly: 0, uta: 1, unified: 0, type: 1 }),
    'GET /v5/account/info': () => ({ unifiedMarginStatus: 6, marginMode: 'REGULAR_MARGIN' }),
    'GET /v5/asset/coin/query-info': ({ account }) => ({
      rows: exchange
        .balances(account)
        .map(({ asset }) => ({ coin: asset, name: asset, chains: [] })),
    }),
    'GET /v5/account/wallet-balance': ({ account }) => ({
      list: [walletView(exchange, account)],
    }),
    'GET /v5/position/list': ({ account, parameters }) => ({
      category: parameters['category'],
      list: exchange.markets
        .filter(({ kind }) => kind === 'perpetual')
        .map((market) => {
          const size = exchange.position(account, market);
          return {
            symbol: symbolOf(market),
            side: size < 0n ? 'Sell' : 'Buy',
            size: formatDecimal(size < 0n ? -size : size),
          };
        }),
    }),
    'POST /v5/asset/withdraw/create': ({ account, parameters }) => {
      const { coin, amount = '', address } = parameters;
      if (coin === undefined || address === undefined) return MALFORMED;
      const given = exchange.withdraw(account, coin, parseDecimal(amount) ?? 0n, address);
      return isFault(given) ? refused(131212, 'Insufficient balance') : { id: given.id };
    },
  };
}

function publicRoutes(exchange: Exchange): Record<string, (query: Parameters) => object> {
  const inCategory = ({ category, symbol }: Parameters) =>
    exchange.markets
      .filter(({ kind }) => category === (kind === 'spot' ? 'spot' : 'linear'))
      .filter((market) => symbol === undefined || symbolOf(market) === symbol);
  return {
    'GET /v5/market/time': () => ({
      timeSecond: String(Math.floor(exchange.now() / 1000)),
      timeNano: `${exchange.now()}000000`,
    }),
    'GET /v5/market/instruments-info': (query) => ({
      category: query['category'],
      list: inCategory(query).map(instrument),
      nextPageCursor: '',
    }),
    'GET /v5/market/tickers': (query) => ({
      category: query['category'],
      list: inCategory(query).map((market) => ticker(exchange, market)),
    }),
  };
}

function instrument(market: Market): object {
  const step = formatDecimal(market.sizeStep);
  return {
    symbol: symbolOf(market),
    baseCoin: market.base,
    quoteCoin: market.quote,
    settleCoin: market.quote,
    contractType: market.kind === 'spot' ? undefined : 'LinearPerpetual',
    status: 'Trading',
    launchTime: '1585526400000',
    deliveryTime: '0',
    priceFilter: { tickSize: formatDecimal(market.priceStep) },
    lotSizeFilter: {
      basePrecision: step,
      quotePrecision: '0.00000001',
      qtyStep: step,
      minOrderQty: step,
      maxOrderQty: '9000',
      minOrderAmt: formatDecimal(market.minCost),
    },
    leverageFilter: { minLeverage: '1', maxLeverage: '10', leverageStep: '1' },
  };
}

function ticker(exchange: Exchange, market: Market): object {
  const price = exchange.price(market);
  return {
    symbol: symbolOf(market),
    lastPrice: formatDecimal(price),
    bid1Price: formatDecimal(price - market.priceStep),
    ask1Price: formatDecimal(price + market.priceStep),
    volume24h: '1000',
  };
}
