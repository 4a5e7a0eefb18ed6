/** OKX v5, pairs and USDT swaps of one trading account (okx.com/docs-v5). */
import { formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import {
  isFault,
  type Exchange,
  type Fault,
  type OrderName,
} from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { isLive, type Order } from '../../exchange/orders.js';
import {
  plainParameters,
  readForm,
  readJson,
  type Parameters,
  type SimulatedVenue,
  type VenueOptions,
  type WireAnswer,
} from '../simulated-venue.js';
import { authenticate } from './okx-authentication.js';
import { balanceView } from './okx-balance.js';
import {
  CONTRACT,
  failureOf,
  fillView,
  instrumentOf,
  orderView,
  readSize,
  readTerms,
  type Failed,
} from './okx-order-words.js';
import { openOkxSocket } from './okx-socket.js';

interface Call {
  readonly account: string;
  /** One for each order of a batch, otherwise one. */
  readonly given: readonly Parameters[];
}

type Row = object | Failed;
type Handler = (call: Call) => readonly Row[];

const BAD_INSTRUMENT: Failed = { sCode: '51001', sMsg: "Instrument ID doesn't exist." };
const MALFORMED: Failed = { sCode: '51000', sMsg: 'Parameter error.' };

export function createOkx({ exchange, accounts }: VenueOptions): SimulatedVenue {
  const open = publicRoutes(exchange);
  const signed = { ...orderRoutes(exchange), ...accountRoutes(exchange) };
  return {
    exchange,
    openSocket: (path) =>
      path === '/ws/v5/private' ? openOkxSocket(exchange, accounts) : undefined,
    handle(request) {
      const name = `${request.method} ${request.path}`;
      const told = open[name];
      if (told !== undefined) return answerOf(told(readForm(request.query)));
      const handler = signed[name];
      if (handler === undefined)
        return { status: 404, body: { code: '404', msg: 'Not Found', data: [] } };
      const account = authenticate(request, accounts, exchange.now());
      if ('code' in account) {
        return { status: account.status, body: { code: account.code, msg: account.msg } };
      }
      const body = readJson(request.body);
      if (body === undefined)
        return { status: 400, body: { code: '50002', msg: 'JSON syntax error' } };
      const given = Array.isArray(body)
        ? body.map((one: object) => stated(plainParameters({ ...one })))
        : [stated({ ...readForm(request.query), ...plainParameters(body) })];
      return answerOf(handler({ account: account.name, given }));
    },
  };
}

/** An empty text is a parameter that is not set: python-okx sends all that there are. */
function stated(given: Parameters): Parameters {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

/** 1: each row failed; 2: some did. */
function answerOf(data: readonly Row[]): WireAnswer {
  const failed = data.filter((row) => 'sCode' in row && row.sCode !== '0').length;
  const code = failed === 0 ? '0' : failed === data.length ? '1' : '2';
  const msg = code === '1' ? 'All operations failed' : '';
  return { status: 200, body: { code, msg, data } };
}

function nameOf({ ordId, clOrdId, algoId, algoClOrdId }: Parameters): OrderName {
  return { id: ordId ?? algoId, clientId: clOrdId ?? algoClOrdId };
}

function done(outcome: Order | Fault, given: Parameters): Row {
  if (isFault(outcome))
    return { ordId: '', clOrdId: given['clOrdId'] ?? '', ...failureOf(outcome) };
  const clientId = outcome.terms.clientId ?? '';
  const ids =
    outcome.terms.stopPrice === undefined
      ? { ordId: outcome.id, clOrdId: clientId }
      : { algoId: outcome.id, algoClOrdId: clientId };
  return { ...ids, tag: '', sCode: '0', sMsg: '' };
}

// oxlint-disable-next-line eslint/max-lines-per-function -- one short function for each endpoint
function orderRoutes(exchange: Exchange): Record<string, Handler> {
  const marketOf = ({ instId }: Parameters): Market | undefined =>
    exchange.markets.find((one) => instrumentOf(one) === instId);
  const each =
    (act: (account: string, given: Parameters) => Row): Handler =>
    ({ account, given }) =>
      given.map((one) => act(account, one));
  const place = each((account, given) => {
    const market = marketOf(given);
    if (market === undefined) return BAD_INSTRUMENT;
    const terms = readTerms(market, given);
    return terms === undefined ? MALFORMED : done(exchange.place(account, terms), given);
  });
  const amend = each((account, given) => {
    const { newSz, newPx } = given;
    const market = marketOf(given);
    if (market === undefined) return BAD_INSTRUMENT;
    const changes = {
      ...(newPx !== undefined && { price: parseDecimal(newPx) }),
      ...(newSz !== undefined && { size: readSize(market, newSz) }),
    };
    return done(exchange.amend(account, nameOf(given), changes), given);
  });
  const cancel = each((account, given) => done(exchange.cancel(account, nameOf(given)), given));
  const listed =
    (chosen: (order: Order) => boolean): Handler =>
    ({ account, given: [query = {}] }) =>
      exchange
        .orders(account)
        .filter(({ terms }) => query['instId'] === undefined || terms.market === marketOf(query))
        .filter(chosen)
        .map(orderView);
  const look = each((account, given) => {
    const order = exchange.find(account, nameOf(given));
    return order === undefined ? failureOf('unknown_order') : orderView(order);
  });
  return {
    'POST /api/v5/trade/order': place,
    'POST /api/v5/trade/batch-orders': place,
    'POST /api/v5/trade/order-algo': place,
    'POST /api/v5/trade/amend-order': amend,
    'POST /api/v5/trade/amend-batch-orders': amend,
    'POST /api/v5/trade/cancel-order': cancel,
    'POST /api/v5/trade/cancel-batch-orders': cancel,
    'POST /api/v5/trade/cancel-algos': cancel,
    'GET /api/v5/trade/order': look,
    'GET /api/v5/trade/order-algo': look,
    'GET /api/v5/trade/orders-pending': listed(
      (order) => isLive(order) && order.terms.stopPrice === undefined,
    ),
    'GET /api/v5/trade/orders-algo-pending': listed(({ status }) => status === 'waiting'),
    'GET /api/v5/trade/orders-history': listed((order) => !isLive(order)),
    'GET /api/v5/trade/fills': ({ account }) => exchange.trades(account).map(fillView),
    'GET /api/v5/trade/fills-history': ({ account }) => exchange.trades(account).map(fillView),
  };
}

function accountRoutes(exchange: Exchange): Record<string, Handler> {
  return {
    'GET /api/v5/account/config': () => [{ acctLv: '2', posMode: 'net_mode', uid: '1' }],
    'GET /api/v5/account/balance': ({ account }) => [balanceView(exchange, account)],
    'GET /api/v5/asset/currencies': ({ account }) =>
      exchange.balances(account).map(({ asset }) => ({
        ccy: asset,
        chain: asset,
        name: asset,
        canDep: true,
        canWd: true,
        minWd: '0.001',
        fee: '0',
      })),
    'POST /api/v5/asset/withdrawal': ({ account, given: [{ ccy, amt = '', toAddr } = {}] }) => {
      if (ccy === undefined || toAddr === undefined) return [MALFORMED];
      const made = exchange.withdraw(account, ccy, parseDecimal(amt) ?? 0n, toAddr);
      return [
        isFault(made)
          ? { sCode: '58350', sMsg: 'Insufficient balance.' }
          : { wdId: made.id, ccy, amt },
      ];
    },
  };
}

function publicRoutes(exchange: Exchange): Record<string, (query: Parameters) => object[]> {
  const typeOf = ({ kind }: Market): string => (kind === 'spot' ? 'SPOT' : 'SWAP');
  return {
    'GET /api/v5/public/time': () => [{ ts: String(exchange.now()) }],
    'GET /api/v5/public/instruments': ({ instType }) =>
      exchange.markets.filter((market) => typeOf(market) === instType).map(instrument),
    'GET /api/v5/market/ticker': ({ instId }) =>
      exchange.markets
        .filter((market) => instrumentOf(market) === instId)
        .map((market) => ticker(exchange, market)),
    'GET /api/v5/market/tickers': ({ instType }) =>
      exchange.markets
        .filter((market) => typeOf(market) === instType)
        .map((market) => ticker(exchange, market)),
  };
}

function instrument(market: Market): object {
  const { base, quote, kind } = market;
  const common = {
    instId: instrumentOf(market),
    state: 'live',
    tickSz: formatDecimal(market.priceStep),
    listTime: '1611916828000',
    expTime: '',
    lever: '10',
  };
  if (kind === 'spot') {
    const step = formatDecimal(market.sizeStep);
    return {
      ...common,
      instType: 'SPOT',
      baseCcy: base,
      quoteCcy: quote,
      lotSz: step,
      minSz: step,
    };
  }
  return {
    ...common,
    instType: 'SWAP',
    uly: `${base}-${quote}`,
    instFamily: `${base}-${quote}`,
    settleCcy: quote,
    ctVal: formatDecimal(CONTRACT),
    ctMult: '1',
    ctValCcy: base,
    ctType: 'linear',
    baseCcy: '',
    quoteCcy: '',
    lotSz: '0.01',
    minSz: '0.01',
  };
}

function ticker(exchange: Exchange, market: Market): object {
  const price = exchange.price(market);
  return {
    instId: instrumentOf(market),
    last: formatDecimal(price),
    bidPx: formatDecimal(price - market.priceStep),
    askPx: formatDecimal(price + market.priceStep),
    vol24h: '1000',
    ts: String(exchange.now()),
  };
}
