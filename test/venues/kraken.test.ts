import { describe, expect, test } from '@jest/globals';
import { endpointName } from '@countersign/venues/engine/endpoint-table.js';
import { KRAKEN, KRAKEN_ENDPOINTS } from '@countersign/venues/kraken.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import fc from 'fast-check';
import { loadCcxt, signWithCcxt } from '../support/ccxt-signing.ts';
import {
  classOf,
  oneLetterOff,
  planOf,
  refusalOf,
  restRequest,
  signPlan,
  wsRequest,
} from '../support/venue-checks.ts';

await loadCcxt('kraken');

// the venue's own example (guide on REST authentication); this key is public
const SECRET_TEXT =
  'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==';
const SECRET = Buffer.from(SECRET_TEXT, 'base64');
const KEY: VenueKey = { type: 'hmac', apiKey: 'an/api+key==' };
const NONCE = 1_616_492_376_594;
const MOMENT = { at: 0, nonce: BigInt(NONCE), requestId: '' };

const ORDER = 'ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25';
const WITHDRAWAL = 'asset=XBT&key=cold&amount=0.5';

function post(path: string, body = '') {
  return restRequest(`POST /0/private/${path}`, { body });
}

function classify(request: ReturnType<typeof restRequest>) {
  return classOf(KRAKEN, request, KEY);
}

function factsOf(path: string, body = '') {
  return planOf(KRAKEN, post(path, body), KEY).facts;
}

test("the venue's own example", () => {
  const plan = planOf(KRAKEN, post('AddOrder', ORDER), KEY);
  expect(signPlan(plan, SECRET, MOMENT)).toEqual({
    method: 'POST',
    path: '/0/private/AddOrder',
    query: '',
    headers: {
      'API-Key': KEY.apiKey,
      'API-Sign':
        '4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==',
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: `nonce=1616492376594&${ORDER}`,
  });
  expect(KRAKEN.nonce).toBe('us');
  expect(KRAKEN.hmacSecretEncodings).toEqual(['base64']);
});

describe('the same bytes as ccxt', () => {
  const batch = {
    pair: 'XBTUSD',
    orders: [
      { ordertype: 'limit', price: '1', type: 'buy', volume: '2' },
      { ordertype: 'limit', price: '3', type: 'sell', volume: '4' },
    ],
  };
  test.each([
    ['a read', 'TradesHistory', { start: 5 }, 'start=5', 'read'],
    ['a read without parameters', 'Balance', {}, '', 'read'],
    [
      'an order',
      'AddOrder',
      { ordertype: 'limit', pair: 'XBTUSD', price: '37500', type: 'buy', volume: '1.25' },
      ORDER,
      'trade',
    ],
    [
      'an order with a closing order',
      'AddOrder',
      {
        pair: 'XBTUSD',
        type: 'sell',
        ordertype: 'market',
        volume: '1',
        close: { ordertype: 'limit', price: '9' },
      },
      'pair=XBTUSD&type=sell&ordertype=market&volume=1&close[ordertype]=limit&close[price]=9',
      'trade',
    ],
    ['a batch', 'AddOrderBatch', batch, JSON.stringify(batch), 'trade'],
    [
      'a withdrawal',
      'Withdraw',
      { asset: 'XBT', key: 'cold', amount: '0.5' },
      WITHDRAWAL,
      'withdraw',
    ],
  ])('%s', (_, path, params, body, operationClass) => {
    const theirs = signWithCcxt({
      exchange: 'kraken',
      api: 'private',
      method: 'POST',
      path,
      params,
      apiKey: KEY.apiKey,
      secret: SECRET_TEXT,
      at: NONCE,
      nonce: NONCE,
    });
    const plan = planOf(KRAKEN, post(path, body), KEY);
    expect(plan.facts.operationClass).toBe(operationClass);
    expect(signPlan(plan, SECRET, MOMENT)).toEqual({
      method: 'POST',
      path: theirs.path,
      query: theirs.query,
      headers: theirs.headers,
      body: theirs.body,
    });
  });

  test('JSON without parameters carries the nonce alone', () => {
    const plan = planOf(KRAKEN, post('Balance', '{}'), KEY);
    expect(signPlan(plan, SECRET, MOMENT).body).toBe('{"nonce":"1616492376594"}');
  });
});

describe('classes', () => {
  test.each([
    ['Withdraw', 'withdraw'],
    ['WithdrawCancel', 'withdraw'],
    ['WalletTransfer', 'transfer'],
    ['AccountTransfer', 'transfer'],
    ['Earn/Allocate', 'transfer'],
    ['Earn/Deallocate', 'transfer'],
    ['CreateSubaccount', 'key_admin'],
    ['AddOrder', 'trade'],
    ['AmendOrder', 'trade'],
    ['EditOrder', 'trade'],
    ['CancelOrder', 'cancel'],
    ['CancelAll', 'cancel'],
    ['WithdrawStatus', 'read'],
    ['WithdrawInfo', 'read'],
    ['GetWebSocketsToken', 'session'],
  ])('%s is %s', (path, operationClass) => {
    expect(factsOf(path)).toMatchObject({ operationClass, endpoint: `POST /0/private/${path}` });
  });

  test('the token that opens WebSocket binds nothing of what follows', () => {
    expect(factsOf('GetWebSocketsToken')).toMatchObject({
      symbols: [],
      binds: ['nonce', 'session'],
    });
    expect(factsOf('AddOrder', ORDER).binds).toEqual(['path', 'nonce', 'body']);
  });
});

describe('a withdrawal dressed as something else', () => {
  test.each([
    ['by GET', restRequest('GET /0/private/Withdraw')],
    ['in lower case', post('withdraw', WITHDRAWAL)],
    ['in capitals', post('WITHDRAW', WITHDRAWAL)],
    ['with a slash behind', post('Withdraw/', WITHDRAWAL)],
    ['with a segment behind', post('Withdraw/AddOrder', WITHDRAWAL)],
    ['behind an order', post('AddOrder/../Withdraw', WITHDRAWAL)],
    ['with two slashes', post('/Withdraw', WITHDRAWAL)],
    ['with an encoded letter', post('%57ithdraw', WITHDRAWAL)],
    ['with a look-alike letter', post('Withdrаw', WITHDRAWAL)],
    ['with a query in the path', post('Balance?x=1', WITHDRAWAL)],
    ['with a semicolon', post('Balance;Withdraw', WITHDRAWAL)],
    ['with a fragment', post('Balance#', WITHDRAWAL)],
    ['of another version', restRequest('POST /1/private/Withdraw', { body: WITHDRAWAL })],
    ['of the public branch', restRequest('POST /0/public/Withdraw', { body: WITHDRAWAL })],
    ['in the query of an order', { ...post('AddOrder', ORDER), query: WITHDRAWAL }],
    ['in its own query', { ...post('Withdraw'), query: WITHDRAWAL }],
    ['with a parameter twice', post('AddOrder', `${ORDER}&volume=9`)],
    ['with a parameter twice in another case', post('AddOrder', `${ORDER}&Volume=9`)],
    ['with an encoded name', post('AddOrder', `${ORDER}&%76olume=9`)],
    ['with an amount in brackets', post('AddOrder', `pair=XBTUSD&type=buy&volume%5B%5D=9`)],
    ['with plus for blank', post('AddOrder', 'pair=XBT+USD&type=buy&volume=1')],
    ['as a list', post('AddOrderBatch', '[{"pair":"XBTUSD"}]')],
    ['JSON with a key twice', post('AddOrder', '{"pair":"XBTUSD","pair":"ETHUSD"}')],
    [
      'JSON that is a form too',
      post(
        'AddOrder',
        '{"pair":"XBTUSD","type":"buy","volume":"1","userref":"&pair=ETHUSD&volume=9&x="}',
      ),
    ],
  ])('%s', (_, request) => {
    expect(['withdraw', 'transfer', 'unknown', 'refused']).toContain(classify(request));
  });

  test('the query is refused with its reason', () => {
    expect(refusalOf(KRAKEN, { ...post('Balance'), query: 'x=1' }, KEY)).toContain('query');
  });

  test('by a method that Kraken does not sign, it is refused even to a rule that allows unknown', () => {
    const request = restRequest('PUT /0/private/Withdraw', { body: WITHDRAWAL });
    expect(refusalOf(KRAKEN, request, KEY)).toContain('POST /0/private/Withdraw');
  });

  test('one letter changed in any path leaves the table', () => {
    const known = new Set(KRAKEN_ENDPOINTS.map(endpointName));
    fc.assert(
      fc.property(
        fc.constantFrom(...KRAKEN_ENDPOINTS).chain((row) => oneLetterOff(row.template)),
        (path) => {
          fc.pre(!known.has(`POST ${path}`));
          expect(['unknown', 'refused']).toContain(classify(restRequest(`POST ${path}`)));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('facts', () => {
  test('an order, as form and as JSON', () => {
    const facts = { symbols: ['XBTUSD'], sides: ['buy'], amounts: ['1.25'], undecidable: [] };
    expect(factsOf('AddOrder', ORDER)).toMatchObject(facts);
    expect(
      factsOf('AddOrder', '{"pair":"XBTUSD","type":"buy","ordertype":"market","volume":1.25}'),
    ).toMatchObject(facts);
    expect(factsOf('AddOrder', 'pair=AAPLx%2FUSD&type=buy&volume=1').symbols).toEqual([
      'AAPLx/USD',
    ]);
  });

  test.each([`${ORDER}&oflags=fciq%2Cviqc`, 'pair=XBTUSD&type=sell&volume=0'])(
    '%s: a volume in the quote currency, or "all of it", is no amount',
    (body) => {
      expect(factsOf('AddOrder', body)).toMatchObject({ amounts: [], undecidable: ['amount'] });
    },
  );

  test('a batch shares its pair; an order without a volume makes the amount undecidable', () => {
    const batch = (orders: object[]) =>
      factsOf('AddOrderBatch', JSON.stringify({ pair: 'XBTUSD', orders }));
    expect(
      batch([
        { type: 'buy', volume: '1' },
        { type: 'sell', volume: '2' },
      ]),
    ).toMatchObject({
      symbols: ['XBTUSD'],
      sides: ['buy', 'sell'],
      amounts: ['1', '2'],
    });
    expect(batch([{ type: 'buy', volume: '1' }, { type: 'sell' }]).undecidable).toEqual(['amount']);
  });

  test('a withdrawal has its asset and amount', () => {
    expect(factsOf('Withdraw', WITHDRAWAL)).toMatchObject({ symbols: ['XBT'], amounts: ['0.5'] });
  });

  test.each([
    'pair=xbtusd&type=buy&volume=1',
    'pair=XBTUSD&type=hold&volume=1',
    'pair=XBTUSD&type=buy&volume=1e9',
  ])('%s is refused', (body) => {
    expect(classify(post('AddOrder', body))).toBe('refused');
  });
});

test('the nonce is the vault’s, keys are HMAC, and there is no signed WebSocket request', () => {
  expect(refusalOf(KRAKEN, post('Balance', 'nonce=1'), KEY)).toContain('the vault sets nonce');
  expect(refusalOf(KRAKEN, post('Balance', '{"nonce":1}'), KEY)).toContain('the vault sets nonce');
  expect(classOf(KRAKEN, post('Balance'), { ...KEY, type: 'ed25519' })).toBe('refused');
  expect(classify(wsRequest('auth'))).toBe('refused');
});
