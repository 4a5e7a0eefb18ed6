/**
 * Funds that move, or orders that go, behind a request which says something else: through an endpoint that
 * reads the same text, a parameter that the endpoint never looks at, an API key with parameters in it, or
 * a text cut in two. Each of these once passed a rule that does not allow it.
 */
import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import type { RuleConditions } from '@countersign/vault/state/state.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { endpointName, type Endpoint } from '@countersign/venues/engine/endpoint-table.js';
import { BITGET_ACCOUNT } from '@countersign/venues/tables/bitget-account.js';
import { BITGET_TRADES } from '@countersign/venues/tables/bitget-trades.js';
import { COINBASE_EXCHANGE_ENDPOINTS } from '@countersign/venues/tables/coinbase-exchange-endpoints.js';
import { KUCOIN_ENDPOINTS } from '@countersign/venues/tables/kucoin-endpoints.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { VenuePlan, VenueRequest } from '@countersign/venues/engine/venue.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { partings, readAsBinance } from '../support/binance-venue.ts';
import { refusalOf, restRequest, signPlan, wsRequest } from '../support/venue-checks.ts';
import { testOnVenueRequest } from '../support/venue-rules.ts';

function planAt(venueId: string, request: VenueRequest, type: KeyType = 'hmac'): VenuePlan {
  const plan = findVenue(venueId)!.plan(request, { type, apiKey: 'key' });
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan;
}

function factsAt(venueId: string, request: VenueRequest): VenueFacts {
  return planAt(venueId, request).facts;
}

/** Whether a rule that allows under these conditions covers the request. */
function isAllowed(when: RuleConditions, facts: VenueFacts): boolean {
  const rule = { id: 'r', displayName: 'rule', enabled: true, when, then: 'allow' } as const;
  return testOnVenueRequest(rule, facts).result === 'holds';
}

const post = (path: string, body: object): VenueRequest =>
  restRequest(`POST ${path}`, { body: JSON.stringify(body) });

describe("a small order whose signature liquidates a margin account (Binance's manual-liquidation)", () => {
  const SMALL: RuleConditions = {
    operationClasses: ['trade'],
    symbols: ['BTCUSDT'],
    sides: ['buy'],
    amount: { max: '0.01' },
  };
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01' };
  const byWs = (type: string) => factsAt('binance', wsRequest('order.place', { ...order, type }));
  const byRest = (type: string) => {
    const query = new URLSearchParams({ ...order, type }).toString();
    return factsAt('binance', restRequest('POST /api/v3/order', { query }));
  };

  it.each(['MARGIN', 'ISOLATED', 'margin', 'Isolated', 'CROSS', 'MARGIN_LIMIT', '0'])(
    'type %s is no order, on any channel',
    (type) => {
      for (const facts of [byWs(type), byRest(type)]) {
        expect(facts.operationClass).toBe('transfer');
        expect(isAllowed(SMALL, facts)).toBe(false);
        // what is bought says nothing of what would be liquidated
        expect(isAllowed({ ...SMALL, operationClasses: ['transfer'] }, facts)).toBe(false);
        expect(facts.undecidable).toEqual(['symbols', 'sides', 'amount']);
      }
    },
  );

  it.each(['LIMIT', 'MARKET', 'limit', 'TAKE_PROFIT_LIMIT', 'TRAILING_STOP_MARKET'])(
    'type %s is one',
    (type) => {
      for (const facts of [byWs(type), byRest(type)]) expect(isAllowed(SMALL, facts)).toBe(true);
    },
  );

  it.each([
    ['MARGIN_MAIN', 'transfer'],
    ['ISOLATEDMARGIN_MARGIN', 'transfer'],
    ['MAIN_UMFUTURE', 'read'],
  ])('a history of transfers of type %s, which can be cut short, is %s', (type, expected) => {
    const request = restRequest('GET /sapi/v1/asset/transfer', { query: `type=${type}` });
    expect(factsAt('binance', request).operationClass).toBe(expected);
  });

  it('a change of position margin that stakes as much ETH has no symbol to rely on', () => {
    const query = 'symbol=BTCUSDT&amount=5&type=1';
    const facts = factsAt('binance', restRequest('POST /fapi/v1/positionMargin', { query }));
    const transfers: RuleConditions = { operationClasses: ['transfer'], symbols: ['BTCUSDT'] };
    expect(isAllowed(transfers, facts)).toBe(false);
    expect(isAllowed({ operationClasses: ['transfer'] }, facts)).toBe(true);
  });
});

describe('a parameter that the endpoint never looks at', () => {
  const BTCUSDT: RuleConditions = { symbols: ['BTCUSDT', 'BTC-USDT'] };

  it.each([
    ['/api/v3/trade/modify-order', { orderId: '1', qty: '1', symbol: 'BTCUSDT' }],
    ['/api/v3/trade/batch-modify-order', [{ orderId: '1', qty: '1', symbol: 'BTCUSDT' }]],
    ['/api/v2/spot/trade/modify-plan-order', { orderId: '1', size: '1', orderType: 'limit' }],
  ])('Bitget %s: an amendment is of the order of its id', (path, body) => {
    const facts = factsAt('bitget', post(path, body));
    expect(facts.operationClass).toBe('trade');
    expect(isAllowed(BTCUSDT, facts)).toBe(false);
    expect(isAllowed({ amount: { max: '1' } }, facts)).toBe(false);
    expect(facts.undecidable).toContain('amount');
  });

  it.each([
    ['kucoin', restRequest('DELETE /api/v1/hf/orders/cancelAll', { query: 'symbol=BTC-USDT' })],
    ['kucoin', restRequest('DELETE /api/v1/orders/a1', { query: 'symbol=BTC-USDT' })],
    [
      'bitget',
      post('/api/v2/mix/order/cancel-all-orders', {
        productType: 'USDT-FUTURES',
        symbol: 'BTCUSDT',
      }),
    ],
    ['bitget', post('/api/v3/trade/cancel-order', { orderId: '1', symbol: 'BTCUSDT' })],
    ['bitget', post('/api/v2/spot/trade/cancel-plan-order', { orderId: '1', symbol: 'BTCUSDT' })],
  ])('%s: a cancellation of everything, or by id alone, is of no symbol', (venueId, request) => {
    const facts = factsAt(venueId, request);
    expect(facts.operationClass).toBe('cancel');
    expect(isAllowed(BTCUSDT, facts)).toBe(false);
  });

  it.each([
    ['kucoin', restRequest('DELETE /api/v1/hf/orders', { query: 'symbol=BTC-USDT' })],
    ['kucoin', restRequest('DELETE /api/v1/hf/orders/a1', { query: 'symbol=BTC-USDT' })],
    ['bitget', post('/api/v2/spot/trade/cancel-symbol-order', { symbol: 'BTCUSDT' })],
    ['bitget', post('/api/v2/mix/order/cancel-order', { symbol: 'BTCUSDT', orderId: '1' })],
    ['coinbase_exchange', restRequest('DELETE /orders', { query: 'product_id=BTC-USDT' })],
  ])('%s: one within a symbol is of that symbol', (venueId, request) => {
    const facts = factsAt(venueId, request);
    expect(isAllowed(BTCUSDT, facts)).toBe(true);
    expect(isAllowed({ symbols: ['ETHUSDT', 'ETH-USDT'] }, facts)).toBe(false);
  });

  const TABLES: readonly (readonly [string, readonly Endpoint[]])[] = [
    ['kucoin', KUCOIN_ENDPOINTS],
    ['bitget', [...BITGET_ACCOUNT, ...BITGET_TRADES]],
    ['coinbase_exchange', COINBASE_EXCHANGE_ENDPOINTS],
  ];
  const DECOYS = {
    symbol: 'BTCUSDT',
    product_id: 'BTCUSDT',
    coin: 'BTC',
    currency: 'BTC',
    side: 'buy',
    size: '1',
    qty: '1',
    amount: '1',
  };

  it.each(TABLES)(
    '%s: what has no list of names holds under no rule on content',
    (venueId, table) => {
      const open = table.filter(
        ({ operationClass, names }) =>
          names === undefined && ['trade', 'transfer', 'withdraw'].includes(operationClass),
      );
      for (const row of open) {
        const path = row.template.replaceAll(/\{\w+\}/g, 'a1');
        const body = JSON.stringify(row.carriers.includes('json_list') ? [DECOYS] : DECOYS);
        const parts = row.carriers.includes('query')
          ? { query: new URLSearchParams(DECOYS).toString() }
          : { body };
        const facts = factsAt(venueId, restRequest(`${row.method} ${path}`, parts));
        const { operationClass } = row;
        const isHeld = (when: RuleConditions): boolean =>
          isAllowed({ operationClasses: [operationClass], ...when }, facts);
        expect([endpointName(row), isHeld({ symbols: ['BTCUSDT', 'BTC'] })]).toContain(false);
        expect([endpointName(row), isHeld({ sides: ['buy'] })]).toContain(false);
        expect([endpointName(row), isHeld({ amount: { max: '1' } })]).toContain(false);
      }
    },
  );

  it.each(['KuCoin', 'Bitget'])(
    '%s: a name that a cancellation does not have is unknown',
    (name) => {
      const request =
        name === 'KuCoin'
          ? restRequest('DELETE /api/v1/hf/orders', { query: 'symbol=BTC-USDT&side=buy' })
          : post('/api/v2/spot/trade/cancel-symbol-order', { symbol: 'BTCUSDT', size: '1' });
      expect(factsAt(name.toLowerCase(), request).operationClass).toBe('unknown');
    },
  );

  it.each([
    ['binance', 'POST /fapi/v1/batchOrders', { amount: '1' }],
    ['binance', 'PUT /dapi/v1/batchOrders', { coin: 'BTC' }],
    ['bybit', 'POST /v5/order/create-batch', { amount: '1' }],
    ['bybit', 'POST /v5/order/amend-batch', { side: 'Buy' }],
    ['bybit', 'POST /v5/order/cancel-batch', { qty: '1' }],
    ['kucoin', 'POST /api/ua/v1/unified/order/cancel-batch', { side: 'buy' }],
    ['bitget', 'POST /api/v2/spot/trade/batch-cancel-order', { size: '1' }],
  ])('%s %s: an order of a batch with a name that none has is refused', (venueId, line, decoy) => {
    const order = { symbol: venueId === 'kucoin' ? 'BTC-USDT' : 'BTCUSDT' };
    const batch = (list: object[]): VenueRequest => {
      if (venueId !== 'binance') {
        const names: Record<string, string> = {
          bybit: 'request',
          kucoin: 'cancelOrderList',
          bitget: 'orderList',
        };
        return restRequest(line, { body: JSON.stringify({ [names[venueId]!]: list }) });
      }
      const query = `batchOrders=${encodeURIComponent(JSON.stringify(list))}`;
      return restRequest(line, { query });
    };
    const operationClass = line.includes('cancel') ? 'cancel' : 'trade';
    expect(factsAt(venueId, batch([order])).operationClass).toBe(operationClass);
    const refused = refusalOf(findVenue(venueId)!, batch([{ ...order, ...decoy }]), {
      type: 'hmac',
      apiKey: 'key',
    });
    expect(refused).toContain(Object.keys(decoy)[0]!);
  });
});

describe('an API key with parameters in it', () => {
  const WITHDRAWING = 'REAL&address=X&amount=1&coin=BTC&network=BTC';

  it('at Binance is refused when something is to be signed: the key stands in the signed text', () => {
    const request = wsRequest('account.status');
    for (const type of ['hmac', 'rsa', 'ed25519'] as const) {
      const refused = refusalOf(findVenue('binance')!, request, { type, apiKey: WITHDRAWING });
      expect(refused).toContain('venue_api_key');
    }
  });

  it.each(['binance', 'bybit'])('%s takes letters and digits alone', (venueId) => {
    const request = restRequest('GET /v5/account/info');
    const venue = findVenue(venueId)!;
    const isTaken = (apiKey: string): boolean =>
      !isRefusal(venue.plan(request, { type: 'hmac', apiKey }));
    expect(isTaken('vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A')).toBe(true);
    for (const apiKey of ['a&b=1', 'a5000{"coin":"BTC"}', 'a=b', 'a-b', 'a%26', 'é', '']) {
      expect(isTaken(apiKey)).toBe(false);
    }
  });
});

describe('a text that its holder cuts in two, at Binance', () => {
  const SECRET = Buffer.from('a secret as the venue shows it');
  const MOMENT = {
    at: 1_790_000_000_000,
    nonce: 0n,
    requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71',
  };

  const UP_TO_100: RuleConditions = { operationClasses: ['withdraw'], amount: { max: '100' } };

  /** Every value of the parameter that the venue can be made to read. */
  function readings(request: VenueRequest, name: string): Set<string | undefined> {
    const signed = signPlan(planAt('binance', request), SECRET, MOMENT);
    const read = [...partings(signed)].flatMap((parted) => {
      const parameters = readAsBinance(parted, SECRET);
      return parameters === undefined ? [] : [parameters.get(name)];
    });
    return new Set(read);
  }

  const withdrawal = (coin: string) =>
    restRequest('POST /sapi/v1/capital/withdraw/apply', {
      body: `address=0xabc&amount=100&network=ETH&coin=${coin}`,
    });

  it('reads as another coin or contract: this is what the signature does not bind', () => {
    expect(readings(withdrawal('ETHFI'), 'coin')).toContain('ETH');
    const query = 'side=BUY&type=MARKET&quantity=0.01&symbol=BTCUSDT_261225';
    const order = restRequest('POST /fapi/v1/order', { query });
    expect(readings(order, 'symbol')).toContain('BTCUSDT');
  });

  it.each(['ETHFI', 'BTCST', 'SOLV', 'USDTX'])(
    'a withdrawal of %s has no coin to compare: it begins with a greater one',
    (coin) => {
      const facts = factsAt('binance', withdrawal(coin));
      expect(facts.operationClass).toBe('withdraw');
      expect(isAllowed({ ...UP_TO_100, symbols: [coin] }, facts)).toBe(false);
      expect(facts.undecidable).toEqual(['symbols']);
      expect(isAllowed(UP_TO_100, facts)).toBe(true);
    },
  );

  it.each(['ETH', 'USDT', 'BTC', 'PEPE', 'ARB'])('a withdrawal of %s has', (coin) => {
    const facts = factsAt('binance', withdrawal(coin));
    expect(isAllowed({ ...UP_TO_100, symbols: [coin] }, facts)).toBe(true);
  });

  it.each([
    ['POST', restRequest('POST /fapi/v1/order', { query: 'symbol=BTCUSDT_261225&side=BUY' })],
    ['WebSocket', wsRequest('order.cancel', { symbol: 'BTCUSDT_261225', orderId: 1 })],
    ['GET', restRequest('GET /fapi/v1/openOrder', { query: 'orderId=1&symbol=BTCUSDT_261225' })],
  ])('a dated contract in a %s request is no symbol to compare', (line, request) => {
    const facts = factsAt('binance', request);
    expect(facts.operationClass).toBe(line === 'POST' ? 'trade' : 'cancel');
    expect(isAllowed({ symbols: ['BTCUSDT_261225'] }, facts)).toBe(false);
    expect(facts.undecidable).toContain('symbols');
  });

  it('a pair that begins with a great coin is one: no pair is a coin', () => {
    const query = 'symbol=ETHUSDT&side=BUY&type=MARKET&quantity=1';
    const facts = factsAt('binance', restRequest('POST /api/v3/order', { query }));
    expect(isAllowed({ symbols: ['ETHUSDT'], sides: ['buy'] }, facts)).toBe(true);
  });

  it.each([
    ['a coin', 'GET /api/v3/x', 'xcoin=BTC&address=A&amount=1'],
    ['a coin, by POST', 'POST /api/v3/x', 'xcoin=BTC&address=A&amount=1'],
    ['a clock', 'POST /api/v3/x', 'mytimestamp=1790000000000'],
  ])('a name that is another one behind its first letters is refused: %s', (_, line, query) => {
    const key = { type: 'hmac', apiKey: 'key' } as const;
    const refused = refusalOf(findVenue('binance')!, restRequest(line, { query }), key);
    expect(refused).toContain('can be cut');
  });
});
