/** What an approver is shown of an order: every venue's own way to say it, and nothing left out. */
import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import { LIBRARIES } from '../../workshop/src/sweep/library-requests.js';
import type { OrderReading, VenueRequest } from '@countersign/venues/engine/venue.js';
import { findVenue, VENUES } from '@countersign/venues/venue-catalogue.js';

type Sent = Partial<VenueRequest> & { readonly line: string };

function requestOf({ line, ...rest }: Sent): VenueRequest {
  const [method = '', path = ''] = line.split(' ');
  return { channel: 'rest', method, path, query: '', body: '', ...rest };
}

function readingOf(venueId: string, sent: Sent): OrderReading {
  const reading = findVenue(venueId)!.readOrders(requestOf(sent));
  if (isRefusal(reading)) throw new Error(reading.message);
  return reading;
}

/** Of each order `term value (name from)`, and of the rest `name=value (from)`. */
function told({ orders, others }: OrderReading) {
  return {
    orders: orders.map((terms) =>
      terms.map(({ term, value, name, from }) => `${term} ${value} (${name}, ${from})`),
    ),
    others: others.map(({ name, value, from }) => `${name}=${value} (${from})`),
  };
}

const json = (body: object) => JSON.stringify(body);

interface Row {
  readonly sent: Sent;
  readonly order: readonly string[];
  readonly others?: readonly string[];
}

/** A limit order each, as a bot of the venue sends it. */
const ORDERS: Readonly<Record<string, Row>> = {
  backpack: {
    sent: {
      line: 'POST /api/v1/order',
      body: '{"symbol":"BTC_USDC","side":"Bid","orderType":"Limit","quantity":"0.01","price":"61250.5","clientId":7,"postOnly":true}',
    },
    order: [
      'symbol BTC_USDC (symbol, body)',
      'side buy (side, table)',
      'order_type Limit (orderType, body)',
      'amount 0.01 (quantity, body)',
      'price 61250.5 (price, body)',
      'client_id 7 (clientId, body)',
    ],
    others: ['side=Bid (body)', 'postOnly=true (body)'],
  },
  binance: {
    sent: {
      line: 'POST /api/v3/order',
      query:
        'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=2.5&price=61250.5&newClientOrderId=mm-1',
    },
    order: [
      'symbol BTCUSDT (symbol, query)',
      'side BUY (side, query)',
      'order_type LIMIT (type, query)',
      'amount 2.5 (quantity, query)',
      'price 61250.5 (price, query)',
      'client_id mm-1 (newClientOrderId, query)',
    ],
    others: ['timeInForce=GTC (query)'],
  },
  bitfinex: {
    sent: {
      line: 'POST /v2/auth/w/order/submit',
      body: '{"type":"EXCHANGE LIMIT","symbol":"tBTCUSD","amount":"-0.5","price":"61250.5","cid":12345,"flags":4096}',
    },
    order: [
      'order_type EXCHANGE LIMIT (type, body)',
      'symbol tBTCUSD (symbol, body)',
      'amount 0.5 (amount, table)',
      'price 61250.5 (price, body)',
      'client_id 12345 (cid, body)',
      'side sell (side, table)',
    ],
    others: ['amount=-0.5 (body)', 'flags=4096 (body)'],
  },
  bitget: {
    sent: {
      line: 'POST /api/v2/spot/trade/place-order',
      body: '{"symbol":"BTCUSDT","side":"buy","orderType":"market","force":"gtc","size":"5000","clientOid":"b-1"}',
    },
    order: [
      'symbol BTCUSDT (symbol, body)',
      'side buy (side, body)',
      'order_type market (orderType, body)',
      'quote_amount 5000 (size, body)',
      'client_id b-1 (clientOid, body)',
    ],
    others: ['force=gtc (body)'],
  },
  bybit: {
    sent: {
      line: 'POST /v5/order/create',
      body: '{"category":"linear","symbol":"BTCUSDT","side":"Sell","orderType":"Limit","qty":"0.3","price":"61250.5","orderLinkId":"y-1","reduceOnly":true}',
    },
    order: [
      'symbol BTCUSDT (symbol, body)',
      'side Sell (side, body)',
      'order_type Limit (orderType, body)',
      'amount 0.3 (qty, body)',
      'price 61250.5 (price, body)',
      'client_id y-1 (orderLinkId, body)',
    ],
    others: ['category=linear (body)', 'reduceOnly=true (body)'],
  },
  coinbase_advanced: {
    sent: {
      line: 'POST /api/v3/brokerage/orders',
      body: '{"product_id":"BTC-USD","side":"BUY"}',
    },
    // its signature covers no body: what stands there may be replaced, and is told as it stands
    order: [],
    others: ['={"product_id":"BTC-USD","side":"BUY"} (body)'],
  },
  coinbase_exchange: {
    sent: {
      line: 'POST /orders',
      body: '{"product_id":"BTC-USD","side":"buy","type":"market","funds":"900.25","client_oid":"c-1"}',
    },
    order: [
      'symbol BTC-USD (product_id, body)',
      'side buy (side, body)',
      'order_type market (type, body)',
      'quote_amount 900.25 (funds, body)',
      'client_id c-1 (client_oid, body)',
    ],
  },
  deribit: {
    sent: {
      line: 'GET /api/v2/private/sell',
      query:
        'instrument_name=BTC_USDC-PERPETUAL&amount=0.1&type=limit&price=61250.5&label=d-1&post_only=true',
    },
    order: [
      'symbol BTC_USDC-PERPETUAL (instrument_name, query)',
      'amount 0.1 (amount, query)',
      'order_type limit (type, query)',
      'price 61250.5 (price, query)',
      'client_id d-1 (label, query)',
      'side sell (side, table)',
    ],
    others: ['post_only=true (query)'],
  },
  gate: {
    sent: {
      line: 'POST /api/v4/futures/usdt/orders',
      body: '{"contract":"BTC_USDT","size":-12,"price":"61250.5","tif":"gtc","text":"t-1"}',
    },
    order: [
      'symbol BTC_USDT (contract, body)',
      'contracts 12 (size, table)',
      'price 61250.5 (price, body)',
      'client_id t-1 (text, body)',
      'side sell (side, table)',
    ],
    others: ['size=-12 (body)', 'tif=gtc (body)'],
  },
  gemini: {
    sent: {
      line: 'POST /v1/order/new',
      body: '{"symbol":"btcusd","amount":"0.01","price":"61250.5","side":"sell","type":"exchange limit","client_order_id":"g-1","options":["maker-or-cancel"]}',
    },
    order: [
      'symbol btcusd (symbol, body)',
      'amount 0.01 (amount, body)',
      'price 61250.5 (price, body)',
      'side sell (side, body)',
      'order_type exchange limit (type, body)',
      'client_id g-1 (client_order_id, body)',
    ],
    others: ['options=["maker-or-cancel"] (body)'],
  },
  kraken: {
    sent: {
      line: 'POST /0/private/AddOrder',
      body: 'pair=XBTUSD&type=sell&ordertype=limit&volume=1.25&price=61250.5&cl_ord_id=k-1&oflags=post',
    },
    order: [
      'symbol XBTUSD (pair, body)',
      'side sell (type, body)',
      'order_type limit (ordertype, body)',
      'amount 1.25 (volume, body)',
      'price 61250.5 (price, body)',
      'client_id k-1 (cl_ord_id, body)',
    ],
    others: ['oflags=post (body)'],
  },
  kraken_futures: {
    sent: {
      line: 'POST /derivatives/api/v3/sendorder',
      body: 'orderType=stp&symbol=PI_XBTUSD&side=buy&size=500&limitPrice=61250.5&stopPrice=61000&cliOrdId=f-1',
    },
    order: [
      'order_type stp (orderType, body)',
      'symbol PI_XBTUSD (symbol, body)',
      'side buy (side, body)',
      'contracts 500 (size, body)',
      'price 61250.5 (limitPrice, body)',
      'trigger_price 61000 (stopPrice, body)',
      'client_id f-1 (cliOrdId, body)',
    ],
  },
  kucoin: {
    sent: {
      line: 'POST /api/v1/hf/orders',
      body: '{"clientOid":"u-1","symbol":"BTC-USDT","side":"buy","type":"limit","size":"0.01","price":"61250.5","timeInForce":"GTC"}',
    },
    order: [
      'client_id u-1 (clientOid, body)',
      'symbol BTC-USDT (symbol, body)',
      'side buy (side, body)',
      'order_type limit (type, body)',
      'amount 0.01 (size, body)',
      'price 61250.5 (price, body)',
    ],
    others: ['timeInForce=GTC (body)'],
  },
  okx: {
    sent: {
      line: 'POST /api/v5/trade/order',
      body: '{"instId":"BTC-USDT","tdMode":"cash","side":"sell","ordType":"limit","sz":"0.2","px":"61250.5","clOrdId":"o1"}',
    },
    order: [
      'symbol BTC-USDT (instId, body)',
      'side sell (side, body)',
      'order_type limit (ordType, body)',
      'amount 0.2 (sz, body)',
      'price 61250.5 (px, body)',
      'client_id o1 (clOrdId, body)',
    ],
    others: ['tdMode=cash (body)'],
  },
};

/** Throws for a venue that has no row yet. */
function orderAt(venueId: string): Row {
  const row = ORDERS[venueId];
  if (row === undefined) {
    throw new Error(
      `venue "${venueId}" has no limit order in ORDERS: add one, and what is told of it`,
    );
  }
  return row;
}

describe('an order', () => {
  it.each(VENUES.map(({ id }) => id))('at %s is told term by term', (venueId) => {
    const { sent, order, others = [] } = orderAt(venueId);
    const isTold = { orders: order.length === 0 ? [] : [order], others };
    expect(told(readingOf(venueId, sent))).toEqual(isTold);
  });

  it('keeps its numbers as they are written', () => {
    const body = '{"contract":"BTC_USDT","size":3,"price":61250.500000000000000001}';
    const { orders } = told(readingOf('gate', { line: 'POST /api/v4/futures/usdt/orders', body }));
    expect(orders[0]).toContain('price 61250.500000000000000001 (price, body)');
  });

  it('has no size in a unit where nobody can tell which it is', () => {
    const order = { instId: 'BTC-USDT', side: 'buy', ordType: 'trigger', sz: '2', orderPx: '-1' };
    const sent = {
      line: 'POST /api/v5/trade/order-algo',
      body: json({ tdMode: 'cash', ...order }),
    };
    expect(told(readingOf('okx', sent)).orders[0]).toContain('size 2 (sz, body)');
    const amended = json({ category: 'spot', symbol: 'BTCUSDT', orderId: '1', qty: '2' });
    const amendment = { line: 'POST /v5/order/amend', body: amended };
    expect(told(readingOf('bybit', amendment)).orders[0]).toContain('size 2 (qty, body)');
  });
});

describe('a movement', () => {
  it('has its asset and amount, and the rest as it stands', () => {
    const query = 'coin=BTC&address=bc1qours&amount=2&name=price';
    const sent = { line: 'POST /sapi/v1/capital/withdraw/apply', query };
    expect(told(readingOf('binance', sent))).toEqual({
      orders: [['symbol BTC (coin, query)', 'amount 2 (amount, query)']],
      others: ['address=bc1qours (query)', 'name=price (query)'],
    });
  });

  it('has no type, price or name of an order, whatever it calls its own', () => {
    const query = 'type=MAIN_UMFUTURE&asset=USDT&amount=100';
    const reading = told(readingOf('binance', { line: 'POST /sapi/v1/asset/transfer', query }));
    expect(reading).toEqual({
      orders: [['symbol USDT (asset, query)', 'amount 100 (amount, query)']],
      others: ['type=MAIN_UMFUTURE (query)'],
    });
  });
});

describe('several orders', () => {
  it('in a list are told one by one, with what stands beside it, and the list as it stands', () => {
    const orders = [
      { side: 'buy', type: 'limit', price: '1', size: '2', clientOid: 'a' },
      { side: 'sell', type: 'limit', price: '3', size: '4', clientOid: 'b', hidden: true },
    ].map((order) => ({ symbol: 'BTC-USDT', ...order }));
    const body = json({ orderList: orders });
    const sent = { line: 'POST /api/v1/hf/orders/multi', body };
    const { orders: read, others } = told(readingOf('kucoin', sent));
    expect(read).toHaveLength(2);
    expect(read[1]).toEqual([
      'symbol BTC-USDT (symbol, body)',
      'side sell (side, body)',
      'order_type limit (type, body)',
      'price 3 (price, body)',
      'amount 4 (size, body)',
      'client_id b (clientOid, body)',
    ]);
    expect(others).toEqual([`orderList=${json(orders)} (body)`]);
  });

  it('in JSON text of a parameter are found there', () => {
    const list = json([
      { symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT', quantity: '9', price: '5' },
    ]);
    const query = `batchOrders=${encodeURIComponent(list)}`;
    const { orders } = told(readingOf('binance', { line: 'POST /fapi/v1/batchOrders', query }));
    expect(orders).toEqual([
      [
        'symbol BTCUSDT (symbol, query)',
        'side SELL (side, query)',
        'order_type LIMIT (type, query)',
        'amount 9 (quantity, query)',
        'price 5 (price, query)',
      ],
    ]);
  });
});

describe('what the venue may look past', () => {
  it.each([
    ['of an endpoint that is not in the table', 'binance', { line: 'POST /api/v9/order' }],
    ['in a place where the endpoint takes nothing', 'okx', { line: 'POST /api/v5/trade/order' }],
  ])('%s has no label', (_, venueId, { line }) => {
    const reading = told(readingOf(venueId, { line, query: 'symbol=A&side=BUY&px=2' }));
    expect(reading).toEqual({
      orders: [],
      others: ['symbol=A (query)', 'side=BUY (query)', 'px=2 (query)'],
    });
  });

  it('at an endpoint that takes any names has no label', () => {
    const sent = { line: 'POST /0/private/Earn/Allocate', body: 'pair=XBTUSD&volume=2' };
    const others = ['pair=XBTUSD (body)', 'volume=2 (body)'];
    expect(told(readingOf('kraken', sent))).toEqual({ orders: [], others });
  });
});

/** Texts of every name and value in it, however deep. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)]);
}

const isJson = (text: string) => /^[[{]/.test(text);

describe('nothing is left out', () => {
  it.each(LIBRARIES.map(({ library, ...rest }) => [library, rest] as const))(
    'of what %s sends',
    (_, { venueId, requests }) => {
      for (const request of requests) {
        const reading = findVenue(venueId)!.readOrders(request);
        if (isRefusal(reading)) continue;
        const shown = JSON.stringify(reading).replaceAll('\\', '');
        const body = isJson(request.body)
          ? textsIn(JSON.parse(request.body))
          : [...new URLSearchParams(request.body)].flat();
        const missing = [...new URLSearchParams(request.query)].flat().concat(body);
        expect({
          request,
          missing: missing.filter((text) => !shown.includes(text.replaceAll('\\', ''))),
        }).toEqual({ request, missing: [] });
      }
    },
  );
});
