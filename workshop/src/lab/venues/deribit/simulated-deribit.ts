/** Deribit over HTTP: spot and USDC perpetuals, everything by GET (docs.deribit.com). */
import { parseDecimal } from '../../exchange/exact-decimal.js';
import { isFault, type Exchange } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { isLive } from '../../exchange/orders.js';
import {
  readForm,
  type Parameters,
  type SimulatedVenue,
  type VenueOptions,
  type WireAnswer,
} from '../simulated-venue.js';
import { authenticate } from './deribit-authentication.js';
import {
  errorOf,
  instrumentOf,
  numberOf,
  orderView,
  readTerms,
  tradeView,
  type DeribitError,
} from './deribit-order-words.js';
import { openDeribitSocket } from './deribit-socket.js';
import { summariesOf } from './deribit-summaries.js';

type Outcome = { readonly result: unknown } | { readonly error: DeribitError };
type Handler = (account: string, given: Parameters) => Outcome;

const UNAUTHORIZED = { code: 13009, message: 'unauthorized' };
const BAD_ARGUMENTS = { error: { code: -32602, message: 'Invalid params' } };

export function createDeribit({ exchange, accounts }: VenueOptions): SimulatedVenue {
  const open = publicRoutes(exchange);
  const signed = { ...orderRoutes(exchange), ...accountRoutes(exchange) };
  const seenRequests = new Map<string, number>();
  const answer = (outcome: Outcome, status = 'error' in outcome ? 400 : 200): WireAnswer => ({
    status,
    body: { jsonrpc: '2.0', ...outcome, usIn: 0, usOut: 0, testnet: false },
  });
  return {
    exchange,
    openSocket: (path) =>
      path === '/ws/api/v2' ? openDeribitSocket(exchange, accounts, seenRequests) : undefined,
    handle(request) {
      const [, scope, name = ''] = /^\/api\/v2\/(public|private)\/(\w+)$/.exec(request.path) ?? [];
      const told = scope === 'public' ? open[name] : undefined;
      if (told !== undefined) return answer({ result: told(readForm(request.query)) });
      const handler = scope === 'private' && request.method === 'GET' ? signed[name] : undefined;
      if (handler === undefined)
        return answer({ error: { code: -32601, message: 'Method not found' } });
      const account = authenticate(request, accounts, seenRequests, exchange.now());
      if (account === undefined) return answer({ error: UNAUTHORIZED }, 401);
      return answer(handler(account.name, readForm(request.query)));
    },
  };
}

// oxlint-disable-next-line eslint/max-lines-per-function -- one short function for each endpoint
function orderRoutes(exchange: Exchange): Record<string, Handler> {
  const marketOf = ({ instrument_name: name }: Parameters): Market | undefined =>
    exchange.markets.find((one) => instrumentOf(one) === name);
  const place =
    (side: 'buy' | 'sell'): Handler =>
    (account, given) => {
      const market = marketOf(given);
      const terms = market === undefined ? undefined : readTerms(market, side, given);
      if (terms === undefined) return BAD_ARGUMENTS;
      const placed = exchange.place(account, terms);
      if (isFault(placed)) return { error: errorOf(placed) };
      return { result: { order: orderView(placed), trades: [] } };
    };
  const openOrders = (account: string, chosen: (market: Market) => boolean): Outcome => ({
    result: exchange
      .orders(account)
      .filter((order) => isLive(order) && chosen(order.terms.market))
      .map(orderView),
  });
  const trades = (account: string, chosen: (market: Market) => boolean): Outcome => ({
    result: {
      trades: exchange
        .trades(account)
        .filter(({ market }) => chosen(market))
        .map(tradeView),
      has_more: false,
    },
  });
  const isIn =
    ({ currency }: Parameters) =>
    (market: Market) =>
      currency === undefined || market.base === currency || market.quote === currency;
  return {
    buy: place('buy'),
    sell: place('sell'),
    edit: (account, given) => {
      const { order_id: id, amount, price, trigger_price: stop } = given;
      const amended = exchange.amend(
        account,
        { id },
        {
          ...(amount !== undefined && { size: parseDecimal(amount) }),
          ...(price !== undefined && { price: parseDecimal(price) }),
          ...(stop !== undefined && { stopPrice: parseDecimal(stop) }),
        },
      );
      if (isFault(amended)) return { error: errorOf(amended) };
      return { result: { order: orderView(amended), trades: [] } };
    },
    cancel: (account, { order_id: id }) => {
      const gone = exchange.cancel(account, { id });
      return isFault(gone) ? { error: errorOf(gone) } : { result: orderView(gone) };
    },
    cancel_all: (account) => ({ result: exchange.cancelAll(account).length }),
    cancel_all_by_instrument: (account, given) => {
      const market = marketOf(given);
      return market === undefined
        ? BAD_ARGUMENTS
        : { result: exchange.cancelAll(account, market).length };
    },
    get_open_orders: (account) => openOrders(account, () => true),
    get_open_orders_by_currency: (account, given) => openOrders(account, isIn(given)),
    get_open_orders_by_instrument: (account, given) =>
      openOrders(account, (market) => market === marketOf(given)),
    get_order_state: (account, { order_id: id }) => {
      const order = exchange.find(account, { id });
      return order === undefined
        ? { error: errorOf('unknown_order') }
        : { result: orderView(order) };
    },
    get_user_trades_by_currency: (account, given) => trades(account, isIn(given)),
    get_user_trades_by_instrument: (account, given) =>
      trades(account, (market) => market === marketOf(given)),
  };
}

function accountRoutes(exchange: Exchange): Record<string, Handler> {
  const summaries = (account: string) => summariesOf(exchange, account);
  return {
    get_account_summaries: (account) => ({ result: { id: 1, summaries: summaries(account) } }),
    get_account_summary: (account, given) => {
      const found = summaries(account).find(({ currency }) => currency === given['currency']);
      return found === undefined ? BAD_ARGUMENTS : { result: found };
    },
    get_positions: (account) => ({
      result: exchange.markets
        .filter(({ kind }) => kind === 'perpetual')
        .map((market) => ({
          instrument_name: instrumentOf(market),
          size: numberOf(exchange.position(account, market)),
        })),
    }),
    withdraw: (account, { currency, address, amount = '' }) => {
      if (currency === undefined || address === undefined) return BAD_ARGUMENTS;
      const made = exchange.withdraw(account, currency, parseDecimal(amount) ?? 0n, address);
      if (isFault(made)) return { error: errorOf(made) };
      const { id, asset } = made;
      return {
        result: {
          id: Number(id),
          currency: asset,
          amount: Number(amount),
          address,
          state: 'unconfirmed',
          created_timestamp: exchange.now(),
        },
      };
    },
  };
}

function publicRoutes(exchange: Exchange): Record<string, (query: Parameters) => unknown> {
  const assets = new Set(exchange.markets.flatMap(({ base, quote }) => [base, quote]));
  return {
    get_time: () => exchange.now(),
    get_currencies: () =>
      [...assets].map((asset) => ({
        currency: asset,
        currency_long: asset,
        coin_type: 'BITCOIN',
        fee_precision: 4,
        min_confirmations: 1,
        withdrawal_fee: 0,
      })),
    get_instruments: () => exchange.markets.map(instrument),
    ticker: ({ instrument_name: name }) => {
      const market = exchange.markets.find((one) => instrumentOf(one) === name);
      return market === undefined ? {} : ticker(exchange, market);
    },
  };
}

function instrument(market: Market): object {
  return {
    instrument_name: instrumentOf(market),
    kind: market.kind === 'spot' ? 'spot' : 'future',
    instrument_type: 'linear',
    base_currency: market.base,
    quote_currency: market.quote,
    settlement_currency: market.quote,
    counter_currency: market.quote,
    settlement_period: market.kind === 'spot' ? undefined : 'perpetual',
    is_active: true,
    contract_size: numberOf(market.sizeStep),
    min_trade_amount: numberOf(market.sizeStep),
    tick_size: numberOf(market.priceStep),
    taker_commission: 0,
    maker_commission: 0,
    creation_timestamp: 1_534_242_287_000,
    expiration_timestamp: 32_503_708_800_000,
  };
}

function ticker(exchange: Exchange, market: Market): object {
  const price = exchange.price(market);
  return {
    instrument_name: instrumentOf(market),
    timestamp: exchange.now(),
    last_price: numberOf(price),
    best_bid_price: numberOf(price - market.priceStep),
    best_ask_price: numberOf(price + market.priceStep),
    best_bid_amount: 10,
    best_ask_amount: 10,
    mark_price: numberOf(price),
    state: 'open',
    stats: { volume: 1000, high: null, low: null },
  };
}
