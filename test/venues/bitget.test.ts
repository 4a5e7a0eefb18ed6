import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { BITGET } from '@countersign/venues/bitget.js';
import { BITGET_ACCOUNT } from '@countersign/venues/tables/bitget-account.js';
import { BITGET_TRADES } from '@countersign/venues/tables/bitget-trades.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import { compareWithCcxt } from '../support/ccxt-comparison.ts';
import { loadCcxt } from '../support/ccxt-signing.ts';
import {
  classOf,
  planOf,
  refusalOf,
  restRequest,
  signPlan,
  wsRequest,
  sizeOf,
} from '../support/venue-checks.ts';
import { ambiguousBodies, disguisesOf } from '../support/venue-smuggling.ts';
import { describeTable } from '../support/venue-table.ts';

await loadCcxt('bitget');

const KEY: VenueKey = { type: 'hmac', apiKey: 'bg_7f1e6c2a' };
const SECRET = Buffer.from('c0ffee-secret-as-text');
const PASSPHRASE = 'correcthorse';
const AT = 1_684_814_440_729;
const MOMENT = { at: AT, nonce: 0n, requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71' };

const WITHDRAWAL = restRequest('POST /api/v2/spot/wallet/withdrawal', {
  body: '{"coin":"BTC","transferType":"on_chain","address":"1Hkx","size":"1","chain":"BTC"}',
});
const ORDER = restRequest('POST /api/v2/spot/trade/place-order', {
  body: '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"1","size":"2"}',
});

describeTable({
  venue: BITGET,
  endpoints: [...BITGET_ACCOUNT, ...BITGET_TRADES],
  key: KEY,
  bodies: Object.fromEntries(
    [
      'POST /api/v2/spot/trade/batch-orders',
      'POST /api/v2/spot/trade/batch-cancel-order',
      'POST /api/v2/margin/crossed/batch-place-order',
      'POST /api/v2/margin/isolated/batch-place-order',
      'POST /api/v2/mix/order/batch-place-order',
    ].map((name) => [name, '{"orderList":[{"symbol":"BTCUSDT"}]}']),
  ),
});

describe('signing', () => {
  const calls = [
    ['read', 'GET', 'spot', 'v2/spot/trade/fills', { symbol: 'BTCUSDT', limit: '10', after: '1' }],
    [
      'trade',
      'POST',
      'spot',
      'v2/spot/trade/place-order',
      { symbol: 'BTCUSDT', side: 'sell', orderType: 'market', size: '1', force: 'gtc' },
    ],
    [
      'trade',
      'POST',
      'mix',
      'v2/mix/order/place-order',
      {
        symbol: 'BTCUSDT',
        productType: 'USDT-FUTURES',
        marginMode: 'crossed',
        marginCoin: 'USDT',
        size: '1',
        side: 'buy',
        orderType: 'market',
      },
    ],
    [
      'trade',
      'POST',
      'uta',
      'v3/trade/place-order',
      {
        category: 'SPOT',
        symbol: 'BTCUSDT',
        qty: '1',
        side: 'buy',
        orderType: 'limit',
        price: '1',
      },
    ],
    [
      'transfer',
      'POST',
      'spot',
      'v2/spot/wallet/transfer',
      { fromType: 'spot', toType: 'usdt_futures', amount: '1', coin: 'USDT' },
    ],
    [
      'withdraw',
      'POST',
      'spot',
      'v2/spot/wallet/withdrawal',
      { coin: 'BTC', address: '1Hkx', chain: 'BTC', size: '1', transferType: 'on_chain' },
    ],
    [
      'withdraw',
      'POST',
      'uta',
      'v3/account/withdrawal',
      { coin: 'BTC', address: '1Hkx', chain: 'BTC', size: '1', transferType: 'on_chain' },
    ],
  ] as const;

  test.each(calls)('%s by %s (%s) at %s: the bytes of ccxt', (...call) => {
    const [operationClass, method, group, path, params] = call;
    const { ours, ccxt, ...rest } = compareWithCcxt(
      BITGET,
      { key: KEY, secret: SECRET, passphrase: PASSPHRASE },
      {
        exchange: 'bitget',
        api: ['private', group],
        method,
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SECRET.toString(),
        password: PASSPHRASE,
        at: AT,
      },
      // the tag of ccxt's broker account
      ['X-CHANNEL-API-CODE'],
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  // bitget.com/api-doc, common/signature-samaple/rsa: the text of its GET example
  test('a query is sorted by name, as signed and as sent', () => {
    const request = restRequest('GET /api/v2/mix/account/account', {
      query: 'symbol=BTCUSDT&marginCoin=usdt',
    });
    const composed = planOf(BITGET, request, KEY).compose(MOMENT);
    expect(Buffer.from(composed.message).toString()).toBe(
      '1684814440729GET/api/v2/mix/account/account?marginCoin=usdt&symbol=BTCUSDT',
    );
    expect(composed.finish(Buffer.alloc(32), '').query).toBe('marginCoin=usdt&symbol=BTCUSDT');
  });

  test('a query is signed decoded and sent encoded', () => {
    const query = 'symbol=BTCUSDT&note=%E5%B8%81';
    const request = restRequest('GET /api/v2/spot/trade/fills', { query });
    const composed = planOf(BITGET, request, KEY).compose(MOMENT);
    expect(Buffer.from(composed.message).toString()).toContain('?note=币&symbol=BTCUSDT');
    expect(composed.finish(Buffer.alloc(32), '').query).toBe('note=%E5%B8%81&symbol=BTCUSDT');
  });

  test('a WebSocket login opens the key; its clock counts seconds', () => {
    const plan = planOf(BITGET, wsRequest('login'), KEY);
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
    const text = '1684814440GET/user/verify';
    expect(JSON.parse(signPlan(plan, SECRET, MOMENT, PASSPHRASE).body)).toEqual({
      op: 'login',
      args: [
        {
          apiKey: KEY.apiKey,
          passphrase: PASSPHRASE,
          timestamp: '1684814440',
          sign: createHmac('sha256', SECRET).update(text).digest('base64'),
        },
      ],
    });
    expect(classOf(BITGET, wsRequest('login', { args: [] }), KEY)).toBe('refused');
    expect(classOf(BITGET, wsRequest('subscribe'), KEY)).toBe('refused');
  });

  test('the path of a login is a session over REST too', () => {
    expect(classOf(BITGET, restRequest('GET /user/verify'), KEY)).toBe('session');
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    expect(['read', 'trade']).not.toContain(classOf(BITGET, request, KEY));
  });

  test.each(ambiguousBodies(ORDER.body))('an order with %s is refused', (_, body) => {
    expect(classOf(BITGET, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test.each(['a%26b', 'a%3Db', 'a%2525b', 'a%2Bb', 'a%23b', 'a%3Fb'])(
    'the query value %s would be signed like another query',
    (value) => {
      const request = restRequest('GET /api/v2/spot/trade/fills', { query: `symbol=A&x=${value}` });
      expect(refusalOf(BITGET, request, KEY)).toContain('ambiguous');
    },
  );
});

describe('facts', () => {
  function factsOf(path: string, body: unknown) {
    const request = restRequest(`POST /api/${path}`, { body: JSON.stringify(body) });
    return planOf(BITGET, request, KEY).facts;
  }
  const spot = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', size: '2' };
  const plan = { ...spot, orderType: 'market', triggerPrice: '1' };
  const mix = { ...spot, productType: 'USDT-FUTURES', marginCoin: 'USDT' };
  const replacement = { symbol: 'BTCUSDT', orderId: '1', size: '2' };
  const stop = { symbol: 'BTCUSDT', holdSide: 'long', triggerPrice: '1', size: '2' };
  const unified = { category: 'USDT-FUTURES', symbol: 'A', side: 'buy', qty: '9' };
  const inCoin = { ...unified, category: 'COIN-FUTURES' };
  const market = { orderType: 'market' };
  const limit = { orderType: 'limit' };

  test('a spot order', () => {
    expect(planOf(BITGET, ORDER, KEY).facts).toEqual({
      venueId: 'bitget',
      operationClass: 'trade',
      endpoint: 'POST /api/v2/spot/trade/place-order',
      symbols: ['BTCUSDT'],
      sides: ['buy'],
      amounts: ['2'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['method', 'path', 'query', 'body', 'time'],
    });
  });

  test.each([
    ['v2/spot/trade/place-order', { ...spot, orderType: 'market' }, 'quote_amount 2'],
    ['v2/spot/trade/place-order', { ...spot, orderType: 'Market' }, 'undecidable'],
    ['v2/spot/trade/place-order', { ...spot, orderType: undefined }, 'undecidable'],
    ['v2/spot/trade/place-plan-order', { ...spot, planType: 'total' }, 'quote_amount 2'],
    [
      'v2/spot/trade/place-plan-order',
      { ...spot, side: 'sell', planType: 'total' },
      'quote_amount 2',
    ],
    // the default of a plan is `amount`, at the market too
    ['v2/spot/trade/place-plan-order', plan, 'amount 2'],
    ['v2/spot/trade/place-plan-order', { ...plan, planType: 'amount' }, 'amount 2'],
    ['v2/spot/trade/place-plan-order', { ...plan, planType: 'total' }, 'quote_amount 2'],
    ['v2/spot/trade/place-plan-order', { ...plan, planType: 'Total' }, 'undecidable'],
    ['v2/spot/trade/cancel-replace-order', replacement, 'amount 2'],
    ['v2/spot/trade/cancel-replace-order', { ...replacement, ...limit }, 'amount 2'],
    ['v2/spot/trade/cancel-replace-order', { ...replacement, ...market }, 'undecidable'],
    ['v2/mix/order/place-tpsl-order', { ...stop, planType: 'loss_plan' }, 'amount 2'],
    // without a size it is of the whole position
    ['v2/mix/order/place-tpsl-order', { ...stop, size: undefined }, 'undecidable'],
    ['v2/mix/order/modify-tpsl-order', { ...stop, orderId: '1' }, 'amount 2'],
    ['v2/mix/order/modify-tpsl-order', { ...stop, orderId: '1', size: undefined }, 'undecidable'],
    ['v3/trade/place-strategy-order', { ...unified, tpslMode: 'partial' }, 'amount 9'],
    ['v3/trade/place-strategy-order', { ...inCoin, tpslMode: 'partial' }, 'amount 9'],
    ['v3/trade/place-strategy-order', { ...unified, tpslMode: 'full' }, 'undecidable'],
    ['v3/trade/place-strategy-order', { ...unified, qty: undefined }, 'undecidable'],
    ['v3/trade/place-order', { ...unified, ...limit }, 'amount 9'],
    ['v3/trade/place-order', { ...inCoin, ...market }, 'undecidable'],
    ['v3/trade/place-order', { ...inCoin, ...limit }, 'undecidable'],
    ['v3/trade/place-order', { ...unified, ...market, category: 'usdt-futures' }, 'undecidable'],
    ['v3/trade/place-order', { ...unified, ...market, category: 'SPOT' }, 'quote_amount 9'],
    [
      'v3/trade/place-order',
      { category: 'SPOT', symbol: 'A', side: 'buy', qty: '9' },
      'undecidable',
    ],
    [
      'v3/trade/place-order',
      { symbol: 'A', side: 'buy', qty: '9', orderType: 'market' },
      'quote_amount 9',
    ],
    [
      'v2/margin/crossed/place-order',
      { symbol: 'A', side: 'buy', quoteSize: '9' },
      'quote_amount 9',
    ],
  ])('what an order at %s of %j comes to: %s', (path, body, size) => {
    expect(sizeOf(factsOf(path, body))).toBe(size);
  });

  test('a market order of futures counts the base coin', () => {
    const body = {
      category: 'USDT-FUTURES',
      symbol: 'A',
      side: 'buy',
      qty: '9',
      orderType: 'market',
    };
    expect(factsOf('v3/trade/place-order', body)).toMatchObject({ amounts: ['9'] });
  });

  const amended = { symbol: 'BTCUSDT', orderId: '1', newSize: '2' };
  test.each([
    ['v2/spot/trade/place-order', { ...spot, presetStopLossPrice: '9' }],
    ['v2/spot/trade/place-order', { ...spot, presetTakeProfitPrice: '9' }],
    [
      'v2/spot/trade/batch-orders',
      { symbol: 'BTCUSDT', orderList: [{ ...spot, presetStopLossPrice: '9' }] },
    ],
    ['v2/spot/trade/cancel-replace-order', { ...replacement, presetStopLossPrice: '9' }],
    ['v2/mix/order/place-order', { ...mix, presetStopLossPrice: '9' }],
    ['v2/mix/order/place-order', { ...mix, presetStopSurplusPrice: '9' }],
    [
      'v2/mix/order/batch-place-order',
      { symbol: 'BTCUSDT', orderList: [{ ...spot, presetStopSurplusPrice: '9' }] },
    ],
    ['v2/mix/order/place-plan-order', { ...mix, stopLossTriggerPrice: '9' }],
    ['v2/mix/order/place-plan-order', { ...mix, stopSurplusTriggerPrice: '9' }],
    ['v2/mix/order/modify-order', { ...amended, newPresetStopLossPrice: '9' }],
    ['v2/mix/order/modify-order', { ...amended, newPresetStopSurplusPrice: '9' }],
    ['v2/mix/order/modify-plan-order', { ...amended, newStopLossTriggerPrice: '9' }],
    ['v3/trade/place-order', { ...unified, ...limit, stopLoss: '9' }],
    ['v3/trade/place-order', { ...unified, ...limit, takeProfit: '9' }],
    ['v3/trade/modify-order', { symbol: 'BTCUSDT', orderId: '1', stopLoss: '9' }],
  ])('the stop that %s of %j attaches sells as much as nobody can tell', (path, body) => {
    expect(factsOf(path, body).undecidable).toEqual(['sides', 'amount']);
  });

  test('a name of a stop that is left empty attaches none', () => {
    const order = { ...mix, presetStopSurplusPrice: '', presetStopLossPrice: '' };
    expect(factsOf('v2/mix/order/place-order', order)).toMatchObject({
      sides: ['buy'],
      amounts: ['2'],
      undecidable: [],
    });
  });

  test('orders of a batch are read one by one, with the symbol beside them', () => {
    const orderList = [
      { side: 'buy', orderType: 'limit', size: '1' },
      { side: 'sell', orderType: 'limit', size: '9', symbol: 'BTCUSDT' },
    ];
    expect(factsOf('v2/spot/trade/batch-orders', { symbol: 'BTCUSDT', orderList })).toMatchObject({
      operationClass: 'trade',
      symbols: ['BTCUSDT'],
      sides: ['buy', 'sell'],
      amounts: ['1', '9'],
    });
    expect(factsOf('v2/spot/trade/batch-orders', { orderList }).undecidable).toEqual(['symbols']);
    const other = JSON.stringify({ symbol: 'ETHUSDT', orderList });
    const contradiction = restRequest('POST /api/v2/spot/trade/batch-orders', { body: other });
    expect(classOf(BITGET, contradiction, KEY)).toBe('refused');
    const body = JSON.stringify({ symbol: 'A', orderList: [{ quoteSize: '9' }] });
    const request = restRequest('POST /api/v2/spot/trade/batch-orders', { body });
    expect(refusalOf(BITGET, request, KEY)).toContain('quoteSize');
  });

  test.each(['v2/mix/order/close-positions', 'v2/mix/order/click-backhand'])(
    'what %s comes to is open',
    (path) => {
      const facts = factsOf(path, { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' });
      expect(facts).toMatchObject({
        operationClass: 'trade',
        symbols: ['BTCUSDT'],
        undecidable: ['sides', 'amount'],
      });
    },
  );

  test('a withdrawal', () => {
    expect(planOf(BITGET, WITHDRAWAL, KEY).facts).toMatchObject({
      operationClass: 'withdraw',
      symbols: ['BTC'],
      amounts: ['1'],
    });
  });

  test('an unlisted parameter makes a request unknown', () => {
    const body = ORDER.body.replace('{', '{"quoteSize":"9",');
    expect(classOf(BITGET, { ...ORDER, body }, KEY)).toBe('unknown');
  });
});
