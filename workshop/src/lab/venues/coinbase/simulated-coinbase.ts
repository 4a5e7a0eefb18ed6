/** Coinbase Advanced (api.coinbase.com/api/v3/brokerage) and the v2 wallet's accounts, spot alone. */
import { formatDecimal, parseDecimal } from '../../exchange/exact-decimal.js';
import { isFault, type Exchange } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { isLive, type Order } from '../../exchange/orders.js';
import {
  plainParameters,
  readForm,
  readJson,
  type Parameters,
  type SimulatedVenue,
  type VenueOptions,
} from '../simulated-venue.js';
import { authenticate } from './coinbase-authentication.js';
import { fillView, orderView, productOf, readTerms, reasonOf } from './coinbase-order-words.js';
import { openCoinbaseSocket } from './coinbase-socket.js';

interface Call {
  readonly account: string;
  readonly query: Parameters;
  readonly body: Record<string, unknown>;
  /** What the path names. */
  readonly named: string;
}

type Handler = (call: Call) => object | undefined;

const NOT_FOUND = { error: 'NOT_FOUND', message: 'not found' };

export function createCoinbase({ exchange, accounts }: VenueOptions): SimulatedVenue {
  const open = publicRoutes(exchange);
  const signed = [...orderRoutes(exchange), ...accountRoutes(exchange)];
  return {
    exchange,
    openSocket: (path) => (path === '/' ? openCoinbaseSocket(exchange, accounts) : undefined),
    handle(request) {
      const line = `${request.method} ${request.path}`;
      const query = readForm(request.query);
      const body = readJson(request.body);
      const call = { account: '', query, body: body ?? {}, named: '' };
      const told = answered(open, line, call);
      if (told !== undefined) return { status: 200, body: told };
      const account = authenticate(request, accounts, exchange.now());
      if (account === undefined) return { status: 401, body: { message: 'Unauthorized' } };
      if (body === undefined) return { status: 400, body: { error: 'INVALID_ARGUMENT' } };
      const outcome = answered(signed, line, { ...call, account: account.name });
      return outcome === undefined
        ? { status: 404, body: NOT_FOUND }
        : { status: 200, body: outcome };
    },
  };
}

type Route = readonly [pattern: RegExp, handler: Handler];

function answered(routes: readonly Route[], line: string, call: Call): object | undefined {
  for (const [pattern, handler] of routes) {
    const match = pattern.exec(line);
    if (match !== null) return handler({ ...call, named: match[1] ?? '' });
  }
  return undefined;
}

// oxlint-disable-next-line eslint/max-lines-per-function -- one short function for each endpoint
function orderRoutes(exchange: Exchange): Route[] {
  const place: Handler = ({ account, body }) => {
    const market = exchange.markets.find((one) => productOf(one) === body['product_id']);
    const terms = market === undefined ? undefined : readTerms(market, body);
    const refused = (error: string) => ({
      success: false,
      error_response: { error, message: error, preview_failure_reason: error },
    });
    if (terms === undefined) return refused('UNSUPPORTED_ORDER_CONFIGURATION');
    const placed = exchange.place(account, terms);
    if (isFault(placed)) return refused(reasonOf(placed));
    const ids = { order_id: placed.id, client_order_id: terms.clientId };
    const { product_id, side } = body;
    return { success: true, success_response: { ...ids, product_id, side }, ...ids };
  };
  const edit: Handler = ({ account, body }) => {
    const { order_id: id, price, size } = plainParameters(body);
    const amended = exchange.amend(
      account,
      { id },
      {
        ...(price !== undefined && { price: parseDecimal(price) }),
        ...(size !== undefined && { size: parseDecimal(size) }),
      },
    );
    return isFault(amended)
      ? { success: false, errors: [{ edit_failure_reason: reasonOf(amended) }] }
      : { success: true, order_id: amended.id, errors: [] };
  };
  const cancel: Handler = ({ account, body }) => {
    const ids = Array.isArray(body['order_ids']) ? body['order_ids'] : [];
    return {
      results: ids.map((id) => {
        const gone = exchange.cancel(account, { id: String(id) });
        const success = !isFault(gone);
        return {
          success,
          failure_reason: success ? 'UNKNOWN_CANCEL_FAILURE_REASON' : reasonOf(gone),
          order_id: id,
        };
      }),
    };
  };
  const listed: Handler = ({ account, query }) => {
    const wanted = (order: Order): boolean =>
      (query['order_status'] !== 'OPEN' || isLive(order)) &&
      [undefined, productOf(order.terms.market)].includes(
        query['product_id'] ?? query['product_ids'],
      );
    return { orders: exchange.orders(account).filter(wanted).map(orderView), has_next: false };
  };
  const look: Handler = ({ account, named }) => {
    const order = exchange.find(account, { id: named });
    return order === undefined ? undefined : { order: orderView(order) };
  };
  const fills: Handler = ({ account }) => ({ fills: exchange.trades(account).map(fillView) });
  return [
    [/^POST \/api\/v3\/brokerage\/orders$/, place],
    [/^POST \/api\/v3\/brokerage\/orders\/edit$/, edit],
    [/^POST \/api\/v3\/brokerage\/orders\/batch_cancel$/, cancel],
    [/^GET \/api\/v3\/brokerage\/orders\/historical\/batch$/, listed],
    [/^GET \/api\/v3\/brokerage\/orders\/historical\/fills$/, fills],
    [/^GET \/api\/v3\/brokerage\/orders\/historical\/([\w-]+)$/, look],
  ];
}

/** Accounts are named after their asset here. */
function accountRoutes(exchange: Exchange): Route[] {
  const accounts: Handler = ({ account }) => ({
    accounts: exchange.balances(account).map(({ asset, free, held }) => ({
      uuid: asset,
      name: `${asset} Wallet`,
      currency: asset,
      available_balance: { value: formatDecimal(free), currency: asset },
      hold: { value: formatDecimal(held), currency: asset },
      type: 'ACCOUNT_TYPE_CRYPTO',
      active: true,
    })),
    has_next: false,
  });
  const wallets: Handler = ({ account }) => ({
    pagination: {},
    data: exchange.balances(account).map(({ asset, free, held }) => ({
      id: asset,
      type: 'wallet',
      currency: { code: asset },
      balance: { amount: formatDecimal(free + held), currency: asset },
    })),
  });
  const send: Handler = ({ account, body, named }) => {
    const { type, to, amount = '', currency = named } = plainParameters(body);
    if (type !== 'send' || to === undefined) return undefined;
    const made = exchange.withdraw(account, currency, parseDecimal(amount) ?? 0n, to);
    if (isFault(made)) return undefined;
    return { data: { id: made.id, type: 'send', status: 'pending', amount: { amount, currency } } };
  };
  return [
    [/^GET \/api\/v3\/brokerage\/accounts$/, accounts],
    [/^GET \/v2\/accounts$/, wallets],
    [/^POST \/v2\/accounts\/([\w-]+)\/transactions$/, send],
    [/^GET \/api\/v3\/brokerage\/transaction_summary$/, () => ({ fee_tier: {} })],
    [/^GET \/api\/v3\/brokerage\/products$/, (call) => productsOf(exchange, call)],
  ];
}

/** Spot alone: whoever asks for futures hears of none. */
function productsOf(exchange: Exchange, { query }: Call): object {
  const { product_type: type = 'SPOT' } = query;
  const markets = type === 'SPOT' ? exchange.markets : [];
  return { products: markets.map((market) => product(exchange, market)) };
}

function publicRoutes(exchange: Exchange): Route[] {
  const assets = [...new Set(exchange.markets.flatMap(({ base, quote }) => [base, quote]))];
  const ticker: Handler = ({ named }) => {
    const market = exchange.markets.find((one) => productOf(one) === named);
    if (market === undefined) return undefined;
    const price = formatDecimal(exchange.price(market));
    const trade = {
      trade_id: '1',
      product_id: named,
      price,
      size: '1',
      time: new Date(exchange.now()).toISOString(),
      side: 'BUY',
    };
    return { trades: [trade], best_bid: price, best_ask: price };
  };
  return [
    [/^GET \/api\/v3\/brokerage\/market\/products$/, (call) => productsOf(exchange, call)],
    [/^GET \/api\/v3\/brokerage\/market\/products\/([\w-]+)\/ticker$/, ticker],
    [/^GET \/api\/v3\/brokerage\/time$/, () => ({ epochMillis: String(exchange.now()) })],
    [
      /^GET \/v2\/currencies$/,
      () => ({ data: assets.map((id) => ({ id, name: id, min_size: '0.01' })) }),
    ],
    [
      /^GET \/v2\/currencies\/crypto$/,
      () => ({
        data: assets.map((code) => ({ code, name: code, type: 'crypto', asset_id: code })),
      }),
    ],
    [
      /^GET \/v2\/exchange-rates$/,
      () => ({
        data: { currency: 'USD', rates: Object.fromEntries(assets.map((code) => [code, '1'])) },
      }),
    ],
  ];
}

function product(exchange: Exchange, market: Market): object {
  return {
    product_id: productOf(market),
    product_type: 'SPOT',
    price: formatDecimal(exchange.price(market)),
    base_currency_id: market.base,
    quote_currency_id: market.quote,
    base_increment: formatDecimal(market.sizeStep),
    quote_increment: formatDecimal(market.priceStep),
    price_increment: formatDecimal(market.priceStep),
    base_min_size: formatDecimal(market.sizeStep),
    base_max_size: '9000',
    quote_min_size: formatDecimal(market.minCost),
    quote_max_size: '10000000',
    status: 'online',
    trading_disabled: false,
  };
}
