/** A limit order as each venue takes it, for who wants to try a rule without knowing the venue's own words. */

export interface ExampleOrder {
  /** As the venue writes it. */
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly amount: string;
  readonly price: string;
}

/** As the API takes it. */
interface VenueRequest {
  readonly channel: 'rest';
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
}

type Fields = Readonly<Record<string, string>>;

interface VenueOrder {
  /** A market of the venue, to begin with. */
  readonly symbol: string;
  request(order: ExampleOrder): VenueRequest;
}

function inQuery(method: 'GET' | 'POST', path: string, fields: Fields): VenueRequest {
  return { channel: 'rest', method, path, query: new URLSearchParams(fields).toString() };
}

function asForm(path: string, fields: Fields): VenueRequest {
  return {
    channel: 'rest',
    method: 'POST',
    path,
    body: new URLSearchParams(fields).toString(),
  };
}

function asJson(path: string, fields: Fields): VenueRequest {
  return { channel: 'rest', method: 'POST', path, body: JSON.stringify(fields) };
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

const VENUE_ORDERS: Readonly<Record<string, VenueOrder>> = {
  backpack: {
    symbol: 'BTC_USDC',
    request: ({ symbol, side, amount, price }) =>
      asJson('/api/v1/order', {
        symbol,
        side: side === 'buy' ? 'Bid' : 'Ask',
        orderType: 'Limit',
        quantity: amount,
        price,
      }),
  },
  binance: {
    symbol: 'BTCUSDT',
    request: ({ symbol, side, amount, price }) =>
      inQuery('POST', '/api/v3/order', {
        symbol,
        side: side.toUpperCase(),
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity: amount,
        price,
      }),
  },
  bitfinex: {
    symbol: 'tBTCUSD',
    request: ({ symbol, side, amount, price }) =>
      asJson('/v2/auth/w/order/submit', {
        type: 'LIMIT',
        symbol,
        amount: side === 'buy' ? amount : `-${amount}`,
        price,
      }),
  },
  bitget: {
    symbol: 'BTCUSDT',
    request: ({ symbol, side, amount, price }) =>
      asJson('/api/v2/spot/trade/place-order', {
        symbol,
        side,
        orderType: 'limit',
        force: 'gtc',
        size: amount,
        price,
      }),
  },
  bybit: {
    symbol: 'BTCUSDT',
    request: ({ symbol, side, amount, price }) =>
      asJson('/v5/order/create', {
        category: 'spot',
        symbol,
        side: capital(side),
        orderType: 'Limit',
        qty: amount,
        price,
      }),
  },
  coinbase_advanced: {
    symbol: 'BTC-USD',
    request: ({ symbol, side }) =>
      // neither size nor price is signed there
      asJson('/api/v3/brokerage/orders', { product_id: symbol, side: side.toUpperCase() }),
  },
  coinbase_exchange: {
    symbol: 'BTC-USD',
    request: ({ symbol, side, amount, price }) =>
      asJson('/orders', { product_id: symbol, side, size: amount, price }),
  },
  deribit: {
    symbol: 'BTC_USDC-PERPETUAL',
    request: ({ symbol, side, amount, price }) =>
      inQuery('GET', `/api/v2/private/${side}`, {
        instrument_name: symbol,
        amount,
        type: 'limit',
        price,
      }),
  },
  gate: {
    symbol: 'BTC_USDT',
    request: ({ symbol, side, amount, price }) =>
      asJson('/api/v4/spot/orders', { currency_pair: symbol, side, type: 'limit', amount, price }),
  },
  gemini: {
    symbol: 'btcusd',
    request: ({ symbol, side, amount, price }) =>
      asJson('/v1/order/new', { symbol, side, type: 'exchange limit', amount, price }),
  },
  kraken: {
    symbol: 'XBTUSD',
    request: ({ symbol, side, amount, price }) =>
      asForm('/0/private/AddOrder', {
        pair: symbol,
        type: side,
        ordertype: 'limit',
        volume: amount,
        price,
      }),
  },
  kraken_futures: {
    symbol: 'PF_XBTUSD',
    request: ({ symbol, side, amount, price }) =>
      asForm('/derivatives/api/v3/sendorder', {
        orderType: 'lmt',
        symbol,
        side,
        size: amount,
        limitPrice: price,
      }),
  },
  kucoin: {
    symbol: 'BTC-USDT',
    request: ({ symbol, side, amount, price }) =>
      asJson('/api/v1/hf/orders', {
        clientOid: '1',
        symbol,
        side,
        type: 'limit',
        size: amount,
        price,
      }),
  },
  okx: {
    symbol: 'BTC-USDT',
    request: ({ symbol, side, amount, price }) =>
      asJson('/api/v5/trade/order', {
        instId: symbol,
        tdMode: 'cash',
        side,
        ordType: 'limit',
        sz: amount,
        px: price,
      }),
  },
};

/** Undefined for a venue that has none here. */
export function firstOrderAt(venueId: string): ExampleOrder | undefined {
  const known = VENUE_ORDERS[venueId];
  return known && { symbol: known.symbol, side: 'buy', amount: '0.01', price: '50000' };
}

interface ExampleKey {
  readonly id: string;
  readonly venueId: string | null;
}

/** The body of an evaluation, as text: of an order where the key's venue has one, else of a message. `userId`: who would ask; empty for the caller. */
export function exampleText(
  key: ExampleKey,
  order: ExampleOrder | undefined,
  userId: string,
): string {
  const asker = userId === '' ? {} : { user_id: userId };
  const venue = VENUE_ORDERS[key.venueId ?? ''];
  const asked =
    venue !== undefined && order !== undefined
      ? { operation: 'sign', key_id: key.id, venue_request: venue.request(order) }
      : { operation: 'raw_sign', key_id: key.id, message: btoa('an example') };
  return JSON.stringify({ ...asker, ...asked }, null, 2);
}
