/** What an approver sees of an order is read from what is signed, whatever the gateway says beside it. */
import { describe, expect, it } from '@jest/globals';
import { pendingRequest } from '@countersign/api/example-values.js';
import { VENUES } from '@countersign/venues/venue-catalogue.js';
import { createLedgerBuilder } from '../../../../test/support/ledger-builder.ts';
import { exampleText, firstOrderAt } from '../policies/example-orders.js';
import {
  orderIn,
  rowsOf,
  TERMS,
  titleOf,
  unboundParts,
  worthIn,
  type OrderReadHere,
} from './order-reading.js';
import { summaryOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

type GatewayFacts = NonNullable<RequestRecord['facts']>;

function asking(venueId: string, body: object, facts: Partial<GatewayFacts> = {}): RequestRecord {
  return {
    ...pendingRequest,
    content: {
      ...pendingRequest.content,
      body: Buffer.from(JSON.stringify(body)).toString('base64'),
    },
    facts: {
      operation: 'sign',
      user_id: pendingRequest.created_by,
      received_at: pendingRequest.created_at,
      venue_id: venueId,
      undecidable: [],
      ...facts,
    },
  };
}

function readOf(record: RequestRecord): OrderReadHere {
  const reading = orderIn(record);
  if (reading === undefined || 'unreadable' in reading) throw new Error('it cannot be read');
  return reading;
}

/** Its signature covers neither size nor price: the body stands among the rest. */
const UNBOUND = ['coinbase_advanced'];

describe.each(VENUES.map(({ id }) => id).filter((id) => !UNBOUND.includes(id)))(
  'an order at %s',
  (venueId) => {
    it.each(['buy', 'sell'] as const)('to %s shows what it is, and at which price', (side) => {
      const order = { ...firstOrderAt(venueId)!, side };
      const example = exampleText({ id: 'key', venueId }, order, '');
      const { venue_request } = JSON.parse(example) as { venue_request: object };
      const reading = readOf(asking(venueId, { venue_request }));
      const [rows = []] = rowsOf(reading);
      const valueOf = (title: string) => rows.find((row) => row.title === title)?.value;
      expect(valueOf(TERMS.symbol)).toBe(order.symbol);
      expect(valueOf(TERMS.side)?.toLowerCase()).toBe(side);
      expect(valueOf(TERMS.amount)).toBe(order.amount);
      expect(valueOf(TERMS.price)).toBe(order.price);
      expect(reading.facts.operationClass).toBe('trade');
    });
  },
);

const order = (query: string) => ({
  venue_request: { channel: 'rest', method: 'POST', path: '/api/v3/order', query },
});
const firstOf = (venueId: string): object =>
  JSON.parse(exampleText({ id: 'key', venueId }, firstOrderAt(venueId)!, '')) as object;
const SELL = order('symbol=BTCUSDT&side=SELL&type=LIMIT&price=61250.5&quantity=3&timeInForce=GTC');

describe('the rows', () => {
  it('come in the order in which people ask, each with its place in the request', () => {
    expect(rowsOf(readOf(asking('binance', SELL)))).toEqual([
      [
        { title: 'Symbol', value: 'BTCUSDT', source: 'symbol in its query' },
        { title: 'Side', value: 'SELL', source: 'side in its query' },
        { title: 'Order type', value: 'LIMIT', source: 'type in its query' },
        { title: 'Quantity', value: '3', unit: 'BTC', source: 'quantity in its query' },
        { title: 'Price', value: '61250.5', unit: 'USDT', source: 'price in its query' },
        {
          title: 'Worth',
          value: '183751.5',
          unit: 'USDT',
          source: 'price × quantity, computed here',
        },
      ],
    ]);
  });

  it('say so of what follows from the request and does not stand in it', () => {
    const body = '{"type":"LIMIT","symbol":"tBTCUSD","amount":"-0.5","price":"1"}';
    const venue_request = {
      channel: 'rest',
      method: 'POST',
      path: '/v2/auth/w/order/submit',
      body,
    };
    const [rows = []] = rowsOf(readOf(asking('bitfinex', { venue_request })));
    expect(rows.find(({ title }) => title === 'Side')).toEqual({
      title: 'Side',
      value: 'sell',
      source: 'follows from the request, as side',
    });
  });
});

describe('the worth in a line', () => {
  const path = '/api/v3/order';
  const worthOf = (query: string, facts: Partial<GatewayFacts> = {}) =>
    worthIn(asking('binance', order(query), facts));
  const LIMIT = 'symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=3';

  it('is by the price of the order, with the asset', () => {
    expect(worthOf(`${LIMIT}&price=61250.5`)).toBe('183751.5 USDT');
    expect(worthIn(asking('bybit', firstOf('bybit')))).toMatch(/^[\d.]+ USDT$/);
  });

  it('is not made up: of an order without a price, of none, nor where the gateway reads another', () => {
    expect(worthOf('symbol=BTCUSDT&side=SELL&type=MARKET&quantity=3')).toBeUndefined();
    expect(worthOf('symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=much')).toBeUndefined();
    expect(worthOf(`${LIMIT}&price=${'9'.repeat(40)}`)).toBeUndefined();
    expect(worthOf(`${LIMIT}&price=61250.5`, { amounts: ['0.3'] })).toBeUndefined();
    expect(worthIn(asking('nowhere', SELL))).toBeUndefined();
    expect(worthIn(pendingRequest)).toBeUndefined();
    const cancel = { channel: 'rest', method: 'DELETE', path, query: 'symbol=BTCUSDT&orderId=1' };
    expect(worthIn(asking('binance', { venue_request: cancel }))).toBeUndefined();
  });

  it('is the sum of several', () => {
    const one = { symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit' };
    const worthAt = (...prices: readonly string[]) => {
      const request = prices.map((price, place) => ({ ...one, qty: `${place + 1}`, price }));
      const venue_request = {
        channel: 'rest',
        method: 'POST',
        path: '/v5/order/create-batch',
        body: JSON.stringify({ category: 'spot', request }),
      };
      return worthIn(asking('bybit', { venue_request }));
    };
    expect(worthAt('10', '20.5')).toBe('51 USDT');
    // each of them has its forty digits, and the sum has one more
    expect(worthAt('9'.repeat(40), '4'.repeat(40))).toBeUndefined();
  });
});

describe('what the gateway says beside it', () => {
  const honest: Partial<GatewayFacts> = {
    operation_class: 'trade',
    symbols: ['BTCUSDT'],
    sides: ['sell'],
    amounts: ['3'],
    quote_amounts: [],
    contracts: [],
  };

  it.each<[string, Partial<GatewayFacts>, string[]]>([
    ['the same', {}, []],
    ['another class', { operation_class: 'cancel' }, ['what it does']],
    ['another symbol', { symbols: ['ETHUSDT'] }, ['symbols']],
    ['another side', { sides: ['buy'] }, ['sides']],
    ['another size', { amounts: ['0.3'] }, ['amounts']],
    ['a size in another unit', { quote_amounts: ['3'] }, ['amounts in the quote asset']],
    ['contracts', { contracts: ['3'] }, ['contracts']],
    ['a destination', { destinations: ['bc1q'] }, ['destinations']],
  ])('is compared: %s', (_, lie, differsIn) => {
    const reading = readOf(asking('binance', SELL, { ...honest, ...lie }));
    expect(reading.differsIn).toEqual(differsIn);
    expect(rowsOf(reading)[0]).toContainEqual(
      expect.objectContaining({ title: 'Quantity', value: '3' }),
    );
  });
});

it('shows the gravest thing that it could do with any kind of key, and blames no gateway that knows the kind', () => {
  const venue_request = { channel: 'ws', method: 'account.status', body: '{}' };
  for (const operation_class of ['read', 'session'] as const) {
    const reading = readOf(asking('binance', { venue_request }, { operation_class }));
    expect(reading.facts.operationClass).toBe('session');
    expect(reading.differsIn).toEqual([]);
  }
  const lied = readOf(asking('binance', { venue_request }, { operation_class: 'cancel' }));
  expect(lied.differsIn).toEqual(['what it does']);
});

it('says which parts the venue does not check', () => {
  expect(unboundParts(readOf(asking('binance', SELL)))).toEqual(['method', 'path']);
});

describe('the venue of the key', () => {
  const ledger = createLedgerBuilder();
  const keyId = ledger.must(ledger.admin, 'POST', '/v1/keys', {
    type: 'ed25519',
    display_name: 'Orders',
    venue_id: 'binance',
    venue_api_key: 'k',
  });
  const made = ledger.outcomes.findLast(({ kind }) => kind === 'evidence')!;
  const { seq, prevHash, body } = ledger.rows[made.seq - 1]!;
  const key_entry = {
    seq,
    prev_hash: Buffer.from(prevHash).toString('hex'),
    body: Buffer.from(body).toString('base64'),
  };
  const asked = (said: string): RequestRecord => {
    const record = asking(said, SELL);
    return { ...record, content: { ...record.content!, path: `/v1/keys/${keyId}/sign` } };
  };

  it('is the one that its id proves, whatever the gateway says', () => {
    for (const said of ['binance', 'bitfinex', 'nowhere']) {
      const reading = readOf({ ...asked(said), key_entry });
      expect(reading.facts.venueId).toBe('binance');
      expect(reading.facts.amounts).toEqual(['3']);
    }
  });

  it('is the word of the gateway where nothing proves it', () => {
    expect(readOf(asked('binance')).facts.venueId).toBe('binance');
    expect(orderIn(asked('nowhere'))).toEqual({ unreadable: expect.any(String) });
  });

  it('names the request where the gateway does not, as of what is done with', () => {
    const { facts: _facts, ...ended } = { ...asked('binance'), key_entry };
    expect(titleOf(ended)).toBe('trade · binance · sell · 3 · BTCUSDT');
    const { key_entry: _entry, ...unread } = ended;
    expect(titleOf(unread)).toBe(summaryOf(unread));
    expect(titleOf(unread, 'binance')).toBe(titleOf(ended));
  });

  it('is nobody’s where the entry that is shown did not make the key', () => {
    const record = { ...asked('binance'), key_entry: { ...key_entry, seq: seq + 1 } };
    expect(orderIn(record)).toEqual({ unreadable: expect.any(String) });
  });
});

describe('nothing is made up', () => {
  it('of what asks no venue', () => {
    expect(orderIn(pendingRequest)).toBeUndefined();
    const { content: _, ...ended } = asking('binance', SELL);
    expect(orderIn(ended)).toBeUndefined();
  });

  it.each([
    ['at a venue that is not known here', asking('nowhere', SELL)],
    ['of another form', asking('binance', { venue_request: 7 })],
    ['that the venue’s rules refuse', asking('binance', order('symbol=A&symbol=B'))],
  ])('%s', (_, record) => {
    expect(orderIn(record)).toEqual({ unreadable: expect.any(String) });
  });
});
