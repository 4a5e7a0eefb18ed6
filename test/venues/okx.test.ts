import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { endpointName } from '@countersign/venues/engine/endpoint-table.js';
import { OKX } from '@countersign/venues/okx.js';
import { OKX_ENDPOINTS } from '@countersign/venues/tables/okx-endpoints.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import fc from 'fast-check';
import { compareWithCcxt } from '../support/ccxt-comparison.ts';
import { loadCcxt } from '../support/ccxt-signing.ts';
import {
  classOf,
  oneLetterOff,
  planOf,
  restRequest,
  signPlan,
  wsRequest,
  sizeOf,
} from '../support/venue-checks.ts';
import { ambiguousBodies, disguisesOf } from '../support/venue-smuggling.ts';

await loadCcxt('okx');

const KEY: VenueKey = { type: 'hmac', apiKey: '37c541a1-0000-0000-0000-10fe7a038418' };
const SECRET = Buffer.from('22582BD0CFF14C41EDBF1AB98506286D');
const PASSPHRASE = 'plain words';
const AT = 1_700_000_000_123;
const MOMENT = { at: AT, nonce: 0n, requestId: '' };

const ORDER = {
  instId: 'BTC-USDT',
  tdMode: 'cash',
  side: 'buy',
  ordType: 'limit',
  sz: '0.1',
  px: '9',
};
const WITHDRAWAL = { ccy: 'USDT', amt: '12.5', dest: '4', toAddr: 'T1', chain: 'USDT-TRC20' };

function post(path: string, body: unknown) {
  return restRequest(`POST /api/v5/${path}`, { body: JSON.stringify(body) });
}

function classify(request: ReturnType<typeof restRequest>) {
  return classOf(OKX, request, KEY);
}

function factsOf(path: string, body: unknown) {
  return planOf(OKX, post(path, body), KEY).facts;
}

describe('the same bytes as ccxt', () => {
  test.each([
    ['a read', 'GET', 'account/positions', { instType: 'SWAP', instId: 'BTC-USDT-SWAP' }, 'read'],
    ['a read without parameters', 'GET', 'account/config', {}, 'read'],
    ['an order', 'POST', 'trade/order', ORDER, 'trade'],
    ['a batch', 'POST', 'trade/batch-orders', [ORDER, { ...ORDER, side: 'sell' }], 'trade'],
    ['a withdrawal', 'POST', 'asset/withdrawal', WITHDRAWAL, 'withdraw'],
  ])('%s', (_, method, path, params, expected) => {
    const compared = compareWithCcxt(
      OKX,
      { key: KEY, secret: SECRET, passphrase: PASSPHRASE },
      {
        exchange: 'okx',
        api: 'private',
        method,
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SECRET.toString(),
        password: PASSPHRASE,
        at: AT,
      },
    );
    expect(compared.ours).toEqual(compared.ccxt);
    expect(compared.operationClass).toBe(expected);
  });

  test('the WebSocket login: seconds, GET and the path of the login', () => {
    const plan = planOf(OKX, wsRequest('login'), KEY);
    expect(JSON.parse(signPlan(plan, SECRET, MOMENT, PASSPHRASE).body)).toEqual({
      op: 'login',
      args: [
        {
          apiKey: KEY.apiKey,
          passphrase: PASSPHRASE,
          timestamp: '1700000000',
          sign: createHmac('sha256', SECRET)
            .update('1700000000GET/users/self/verify')
            .digest('base64'),
        },
      ],
    });
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['time', 'session'] });
  });
});

describe('classes', () => {
  test.each([
    ['asset/withdrawal', 'withdraw'],
    ['asset/withdrawal-lightning', 'withdraw'],
    ['fiat/create-withdrawal', 'withdraw'],
    ['asset/transfer', 'transfer'],
    ['asset/subaccount/transfer', 'transfer'],
    ['finance/savings/purchase-redempt', 'transfer'],
    ['users/subaccount/set-transfer-out', 'key_admin'],
    ['users/subaccount/modify-apikey', 'key_admin'],
    ['trade/order', 'trade'],
    ['trade/amend-order', 'trade'],
    ['trade/order-algo', 'trade'],
    ['account/set-leverage', 'trade'],
  ])('POST /api/v5/%s is %s', (path, operationClass) => {
    expect(factsOf(path, {})).toMatchObject({
      operationClass,
      endpoint: `POST /api/v5/${path}`,
      binds: ['method', 'path', 'query', 'body', 'time'],
    });
  });

  test('endpoint conditions hold here', () => {
    expect(OKX.unbindable('endpoints')).toBeUndefined();
  });
});

describe('a withdrawal dressed as something else', () => {
  const withdrawal = post('asset/withdrawal', WITHDRAWAL);
  const trade = post('trade/order', ORDER);

  test.each(disguisesOf(withdrawal, trade))('%s', (_, request) => {
    expect(['withdraw', 'transfer', 'unknown', 'refused']).toContain(classify(request));
  });

  test.each(ambiguousBodies(JSON.stringify(ORDER)))('%s in the body is refused', (_, body) => {
    expect(classify({ ...trade, body })).toBe('refused');
  });

  test('a query where the body is meant leaves the table', () => {
    expect(classify({ ...trade, query: 'instId=BTC-USDT' })).toBe('refused');
    expect(classify({ ...trade, query: 'x=1' })).toBe('unknown');
    expect(classify({ ...trade, body: '', query: 'instId=BTC-USDT' })).toBe('unknown');
    expect(classify(restRequest('GET /api/v5/account/config', { body: '{}' }))).toBe('refused');
  });

  test('a list where one order is meant leaves the table, and the other way round', () => {
    expect(classify(post('trade/order', [ORDER]))).toBe('unknown');
    expect(classify(post('trade/batch-orders', ORDER))).toBe('unknown');
    expect(classify(post('asset/withdrawal', [WITHDRAWAL]))).toBe('unknown');
    expect(classify(post('trade/batch-orders', []))).toBe('refused');
    expect(classify(post('trade/batch-orders', [ORDER, 'x']))).toBe('refused');
  });

  test('the instrument by number is refused: no rule could read it', () => {
    expect(classify(post('trade/order', { ...ORDER, instIdCode: 1 }))).toBe('refused');
    expect(classify(post('trade/batch-orders', [{ ...ORDER, instIdCode: 1 }]))).toBe('refused');
  });

  test('one letter changed in any path that moves funds leaves the table', () => {
    const known = new Set(OKX_ENDPOINTS.map(endpointName));
    const rows = OKX_ENDPOINTS.filter(
      ({ operationClass }) => operationClass === 'withdraw' || operationClass === 'transfer',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...rows).chain((row) => oneLetterOff(row.template)),
        (path) => {
          fc.pre(!known.has(`POST ${path}`));
          const request = restRequest(`POST ${path}`, { body: '{"ccy":"USDT"}' });
          expect(['unknown', 'refused']).toContain(classify(request));
        },
      ),
    );
  });
});

describe('facts', () => {
  test.each([
    [ORDER, ['0.1']],
    [{ ...ORDER, side: 'sell', ordType: 'market' }, ['0.1']],
    [{ ...ORDER, ordType: 'market', tgtCcy: 'base_ccy' }, ['0.1']],
  ])('%j counts the base currency', (order, amounts) => {
    expect(factsOf('trade/order', order)).toMatchObject({ amounts, undecidable: [] });
  });

  test.each([
    [{ ...ORDER, ordType: 'market' }, 'quote_amount 0.1'],
    [{ ...ORDER, ordType: 'market', tgtCcy: 'quote_ccy', side: 'sell' }, 'quote_amount 0.1'],
    [{ ...ORDER, ordType: 'market', tgtCcy: 'quote_ccy', tdMode: 'cross' }, 'undecidable'],
    [{ ...ORDER, ordType: 'mmp' }, 'undecidable'],
    // of a limit order the venue does not heed it
    [{ ...ORDER, tgtCcy: 'quote_ccy' }, 'undecidable'],
    [{ ...ORDER, instId: 'BTC-USDT-SWAP' }, 'contracts 0.1'],
    [{ ...ORDER, instId: 'BTC-USD-260327-90000-C' }, 'contracts 0.1'],
    [{ ...ORDER, instId: undefined }, 'undecidable'],
  ])('%j: %s', (order, size) => {
    expect(sizeOf(factsOf('trade/order', order))).toBe(size);
  });

  test('an amendment counts the base currency of a pair, and contracts of anything else', () => {
    const amendment = { instId: 'BTC-USDT', ordId: '1', newSz: '2' };
    expect(factsOf('trade/amend-order', amendment)).toMatchObject({
      symbols: ['BTC-USDT'],
      amounts: ['2'],
      undecidable: [],
    });
    const ofSwap = { ...amendment, instId: 'BTC-USDT-SWAP' };
    expect(sizeOf(factsOf('trade/amend-batch-orders', [ofSwap]))).toBe('contracts 2');
  });

  test('an order that waits is compared when it sells a pair, and not by what it says of currencies', () => {
    const stop = {
      ...ORDER,
      side: 'sell',
      ordType: 'conditional',
      slTriggerPx: '1',
      slOrdPx: '-1',
    };
    const { px: _, ...sale } = stop;
    expect(factsOf('trade/order-algo', sale)).toMatchObject({ amounts: ['0.1'], undecidable: [] });
    for (const change of [
      { side: 'buy', tdMode: 'cross' },
      { side: 'buy', ordType: 'oco', tpTriggerPx: '9', tpOrdPx: '8' },
      { side: 'buy', ordType: 'trigger', triggerPx: '9', orderPx: '-1', tgtCcy: 'base_ccy' },
      { side: 'buy', ordType: 'trigger', triggerPx: '9' },
      { side: 'buy', ordType: 'move_order_stop', callbackRatio: '0.1' },
      { tgtCcy: 'quote_ccy' },
      { closeFraction: '1' },
    ]) {
      expect(factsOf('trade/order-algo', { ...sale, ...change })).toMatchObject({
        amounts: [],
        undecidable: ['amount'],
      });
    }
  });

  // "Only applicable to SPOT traded with Market buy conditional order. Default is quote_ccy for buy"
  test.each([
    [{ ordType: 'conditional', slOrdPx: '-1' }, 'quote_amount 0.1'],
    [{ ordType: 'conditional', slOrdPx: '-1', tgtCcy: 'quote_ccy' }, 'quote_amount 0.1'],
    [{ ordType: 'conditional', slOrdPx: '-1', tgtCcy: 'base_ccy' }, 'amount 0.1'],
    [{ ordType: 'conditional', slOrdPx: '-1', tpOrdPx: '8' }, 'undecidable'],
    [{ ordType: 'conditional', slOrdPx: '9', tpOrdPx: '8' }, 'amount 0.1'],
    [{ ordType: 'conditional', slOrdPx: '9', tgtCcy: 'quote_ccy' }, 'undecidable'],
    [{ ordType: 'oco', slOrdPx: '9', tpOrdPx: '8' }, 'amount 0.1'],
    [{ ordType: 'oco', slOrdPx: '9', tpOrdPx: '8', tdMode: 'cross' }, 'amount 0.1'],
    [{ ordType: 'trigger', orderPx: '9' }, 'amount 0.1'],
    [{ ordType: 'trigger', orderPx: '9', tgtCcy: 'base_ccy' }, 'amount 0.1'],
    [{ ordType: 'trigger', orderPx: '0' }, 'undecidable'],
    [{ ordType: 'trigger', slOrdPx: '9' }, 'undecidable'],
    [{ ordType: 'conditional' }, 'undecidable'],
  ])('a purchase that waits, %j: %s', (terms, size) => {
    const { px: _, ...purchase } = ORDER;
    expect(sizeOf(factsOf('trade/order-algo', { ...purchase, ...terms }))).toBe(size);
  });

  const STOP = { slTriggerPx: '8', slOrdPx: '-1', tpTriggerPx: '10', tpOrdPx: '-1' };
  const SWAP = { ...ORDER, instId: 'BTC-USDT-SWAP' };
  test.each<[string, string, object, object]>([
    ['at spot', 'trade/order', { ...ORDER, attachAlgoOrds: [STOP] }, { amounts: ['0.1'] }],
    ['in the older spelling', 'trade/order', { ...ORDER, ...STOP }, { amounts: ['0.1'] }],
    ['of a swap', 'trade/order', { ...SWAP, attachAlgoOrds: [STOP] }, { contracts: ['0.1'] }],
    [
      'of an order by its cost',
      'trade/order',
      { ...ORDER, ordType: 'market', attachAlgoOrds: [STOP] },
      { quoteAmounts: ['0.1'] },
    ],
    [
      'of an order that waits',
      'trade/order-algo',
      { ...SWAP, ordType: 'trigger', attachAlgoOrds: [STOP] },
      { contracts: ['0.1'] },
    ],
    [
      'in parts',
      'trade/order',
      {
        ...ORDER,
        attachAlgoOrds: [
          { ...STOP, sz: '0.04' },
          { tpOrdPx: '9', sz: '0.06' },
        ],
      },
      { amounts: ['0.1', '0.04', '0.06'] },
    ],
    [
      'in parts beside the older spelling',
      'trade/order',
      { ...ORDER, ...STOP, attachAlgoOrds: [{ ...STOP, sz: '7' }] },
      { amounts: ['0.1', '7'] },
    ],
  ])(
    'an attached stop is as large as its order, on the other side: %s',
    (_, path, order, sizes) => {
      const { px: _px, ...body } = order as typeof ORDER;
      const facts = factsOf(path, body);
      expect(facts).toMatchObject({ ...sizes, undecidable: [] });
      expect(new Set(facts.sides)).toEqual(new Set(['buy', 'sell']));
      if (path === 'trade/order')
        expect(factsOf('trade/batch-orders', [body])).toMatchObject(sizes);
    },
  );

  test.each<[string, unknown]>([
    ['with a parameter that nobody knows', [{ ...STOP, size: '9' }]],
    ['which is no object', ['x']],
    ['in the text of a list', JSON.stringify([STOP])],
    ['which is no list', STOP],
  ])('an attached stop %s leaves side and size open', (_, attachAlgoOrds) => {
    const facts = factsOf('trade/order', { ...ORDER, attachAlgoOrds });
    expect(facts.undecidable).toEqual(['sides', 'amount']);
    const older = factsOf('trade/order', { ...ORDER, ...STOP, attachAlgoOrds });
    expect(older.undecidable).toEqual(['sides', 'amount']);
  });

  test('an attached stop of no plain size is refused, and an empty list is none', () => {
    const order = { ...ORDER, attachAlgoOrds: [{ ...STOP, sz: '-1' }] };
    expect(classify(post('trade/order', order))).toBe('refused');
    expect(factsOf('trade/order', { ...ORDER, attachAlgoOrds: [] })).toMatchObject({
      ...{ sides: ['buy'], amounts: ['0.1'], undecidable: [] },
    });
  });

  test('an order that waits counts contracts where its instrument does, and so does its amendment', () => {
    const stop = { ...ORDER, instId: 'BTC-USDT-SWAP', ordType: 'trigger', triggerPx: '1' };
    const { px: _, ...trigger } = stop;
    expect(sizeOf(factsOf('trade/order-algo', trigger))).toBe('contracts 0.1');
    const amendment = { algoId: '1', newSz: '2' };
    const amended = (instId: string) =>
      sizeOf(factsOf('trade/amend-algos', { ...amendment, instId }));
    expect(amended('BTC-USDT-SWAP')).toBe('contracts 2');
    expect(amended('BTC-USDT')).toBe('undecidable');
  });

  test('closing a position has neither a side nor an amount that anybody knows', () => {
    expect(
      factsOf('trade/close-position', { instId: 'BTC-USDT-SWAP', mgnMode: 'cross' }),
    ).toMatchObject({
      symbols: ['BTC-USDT-SWAP'],
      undecidable: ['sides', 'amount'],
    });
  });

  test('a batch gives every order; one without a size makes the amount undecidable', () => {
    const second = { ...ORDER, instId: 'ETH-USDT', side: 'sell', sz: '5' };
    expect(factsOf('trade/batch-orders', [ORDER, second])).toMatchObject({
      symbols: ['BTC-USDT', 'ETH-USDT'],
      sides: ['buy', 'sell'],
      amounts: ['0.1', '5'],
      undecidable: [],
    });
    const { sz: _, ...silent } = second;
    expect(factsOf('trade/batch-orders', [ORDER, silent]).undecidable).toEqual(['amount']);
  });

  test('a withdrawal has its currency and amount', () => {
    expect(factsOf('asset/withdrawal', WITHDRAWAL)).toMatchObject({
      symbols: ['USDT'],
      amounts: ['12.5'],
    });
  });

  test.each([
    ['trade/order', { ...ORDER, sz: '-1' }],
    ['trade/order', { ...ORDER, side: 'BUYS' }],
    ['trade/order', { ...ORDER, instId: 'btc-usdt' }],
    ['asset/withdrawal', { ...WITHDRAWAL, amt: '0x10' }],
  ])('%s %j is refused', (path, body) => {
    expect(classify(post(path, body))).toBe('refused');
  });

  test('a name in another spelling leaves the table', () => {
    expect(classify(post('asset/withdrawal', { ...WITHDRAWAL, AMT: '1', amt: undefined }))).toBe(
      'unknown',
    );
  });
});

test('keys of another type and other WebSocket operations are refused', () => {
  expect(classOf(OKX, wsRequest('login'), { ...KEY, type: 'rsa' })).toBe('refused');
  expect(classify(wsRequest('order', ORDER))).toBe('refused');
  expect(classify(wsRequest('login', { timestamp: '1' }))).toBe('refused');
});
