import { describe, expect, test } from '@jest/globals';
import { DERIBIT } from '@countersign/venues/deribit.js';
import { DERIBIT_ENDPOINTS } from '@countersign/venues/tables/deribit-endpoints.js';
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
import { disguisesOf } from '../support/venue-smuggling.ts';
import { describeTable } from '../support/venue-table.ts';

await loadCcxt('deribit');

const KEY: VenueKey = { type: 'hmac', apiKey: 'AAAAAAAAAAA' };
const SECRET = Buffer.from('ABCD');
const AT = 1_554_883_365_000;
const API = '/api/v2/private';

const WITHDRAWAL = restRequest(`GET ${API}/withdraw`, {
  query: 'currency=BTC&address=bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh&amount=1',
});
const ORDER = restRequest(`GET ${API}/buy`, {
  query: 'instrument_name=BTC-PERPETUAL&amount=100&type=limit&price=50000',
});

describeTable({ venue: DERIBIT, endpoints: DERIBIT_ENDPOINTS, key: KEY });

describe('signing', () => {
  // docs.deribit.com, articles/authentication: the secret and the result are the document's
  test('the client signature of the example in the documents', () => {
    const plan = planOf(DERIBIT, wsRequest('public/auth'), KEY);
    const signed = signPlan(plan, SECRET, { at: AT, nonce: 0n, requestId: 'fdbmmz79' });
    expect(JSON.parse(signed.body)).toEqual({
      jsonrpc: '2.0',
      id: 'fdbmmz79',
      method: 'public/auth',
      params: {
        grant_type: 'client_signature',
        client_id: 'AAAAAAAAAAA',
        timestamp: AT,
        signature: 'e20c9cd5639d41f8bbc88f4d699c4baf94a4f0ee320e9a116b72743c449eb994',
        nonce: 'fdbmmz79',
        data: '',
      },
    });
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
  });

  test.each([
    ['read', 'get_account_summary', { currency: 'BTC', extended: true }],
    ['trade', 'buy', { instrument_name: 'BTC-PERPETUAL', amount: 100, type: 'market' }],
    ['withdraw', 'withdraw', { currency: 'BTC', address: 'bc1q+x/y', amount: '0.5' }],
  ])('%s: the bytes of ccxt', (operationClass, path, params) => {
    const { ours, ccxt, ...rest } = compareWithCcxt(
      DERIBIT,
      { key: KEY, secret: SECRET },
      {
        exchange: 'deribit',
        api: 'private',
        method: 'GET',
        path,
        params,
        apiKey: KEY.apiKey,
        secret: 'ABCD',
        at: AT,
      },
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  test('the nonce is the request id: no two requests share one', () => {
    const plan = planOf(DERIBIT, ORDER, KEY);
    const headers = ['4885f793-e5ad-4c3b-8f6c-55d891472b71', '5885f793-e5ad-4c3b-8f6c-55d891472b71']
      .map((requestId) => signPlan(plan, SECRET, { at: AT, nonce: 0n, requestId }))
      .map((signed) => signed.headers['Authorization']);
    expect(headers[0]).toContain('nonce=4885f793e5ad4c3b8f6c55d891472b71');
    expect(headers[0]).not.toBe(headers[1]);
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    expect(['read', 'trade']).not.toContain(classOf(DERIBIT, request, KEY));
  });

  test('it is one although it is sent by GET', () => {
    expect(planOf(DERIBIT, WITHDRAWAL, KEY).facts).toEqual({
      venueId: 'deribit',
      operationClass: 'withdraw',
      endpoint: `GET ${API}/withdraw`,
      symbols: ['BTC'],
      sides: [],
      amounts: ['1'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['method', 'path', 'query', 'body', 'time', 'nonce'],
    });
  });

  test('nor is a transfer to another user one between own accounts', () => {
    const request = restRequest(`GET ${API}/submit_transfer_to_user`, {
      query: 'currency=BTC&amount=1&destination=0x1',
    });
    expect(classOf(DERIBIT, request, KEY)).toBe('withdraw');
  });

  test('JSON-RPC in a body could name another method than the path', () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'private/withdraw', params: {} });
    for (const method of ['GET', 'POST']) {
      const request = restRequest(`${method} ${API}/get_positions`, { body });
      expect(refusalOf(DERIBIT, request, KEY)).toContain('Deribit');
    }
    const atRoot = restRequest('POST /api/v2', { body });
    expect(refusalOf(DERIBIT, atRoot, KEY)).toContain('Deribit');
    expect(refusalOf(DERIBIT, { ...ORDER, method: 'POST' }, KEY)).toContain('by GET');
  });

  test.each([
    ['twice', 'amount=1&amount=9'],
    ['in capitals', 'amount=1&AMOUNT=9'],
    ['with a needless encoding', 'amount=%31'],
    ['with an exponent', 'amount=1e9'],
    ['with a plus', 'amount=+1'],
  ])('an amount %s is refused', (_, query) => {
    const request = { ...ORDER, query: `instrument_name=BTC-PERPETUAL&${query}` };
    expect(classOf(DERIBIT, request, KEY)).toBe('refused');
  });
});

describe('facts', () => {
  function factsOf(operation: string, query: string) {
    return planOf(DERIBIT, restRequest(`GET ${API}/${operation}`, { query }), KEY).facts;
  }

  test('the side of an order is its operation, whatever a parameter says', () => {
    expect(planOf(DERIBIT, ORDER, KEY).facts).toMatchObject({
      operationClass: 'trade',
      symbols: ['BTC-PERPETUAL'],
      sides: ['buy'],
    });
    expect(factsOf('sell', 'instrument_name=XRP_USDC-30JUN23-0d625-C&amount=1')).toMatchObject({
      symbols: ['XRP_USDC-30JUN23-0d625-C'],
      sides: ['sell'],
    });
    expect(factsOf('sell', 'instrument_name=BTC-PERPETUAL&amount=1&side=buy')).toMatchObject({
      operationClass: 'unknown',
    });
  });

  test.each([
    ['instrument_name=BTC-PERPETUAL&contracts=10', 'contracts 10'],
    ['instrument_name=BTC-PERPETUAL&amount=10', 'quote_amount 10'],
    ['instrument_name=BTC-26MAR27&amount=10', 'quote_amount 10'],
    ['instrument_name=BTC-PERPETUAL&amount=100&contracts=10', 'quote_amount 100, contracts 10'],
    ['instrument_name=BTC_USDC-PERPETUAL&amount=0.1', 'amount 0.1'],
    ['instrument_name=BTC-26MAR27-90000-C&amount=1', 'amount 1'],
  ])('an order of %s: %s', (query, size) => {
    expect(sizeOf(factsOf('buy', query))).toBe(size);
  });

  test('an amendment by id alone: nobody knows what it counts', () => {
    for (const size of ['amount=1', 'contracts=1']) {
      expect(sizeOf(factsOf('edit', `order_id=1&${size}`))).toBe('undecidable');
    }
  });

  test('what a closed position comes to is open', () => {
    expect(factsOf('close_position', 'instrument_name=BTC-PERPETUAL&type=market')).toMatchObject({
      operationClass: 'trade',
      symbols: ['BTC-PERPETUAL'],
      undecidable: ['sides', 'amount'],
    });
  });

  test('an instrument in another spelling is refused', () => {
    for (const name of ['btc-perpetual', 'BTC-PERPETUAl', 'BTC-PERPETUAL-']) {
      const request = { ...ORDER, query: `instrument_name=${name}&amount=1` };
      expect(classOf(DERIBIT, request, KEY)).toBe('refused');
    }
  });
});

describe('what the vault sets', () => {
  test.each(['access_token', 'client_id', 'client_secret', 'signature', 'timestamp', 'Timestamp'])(
    '%s is not for the caller',
    (name) => {
      const request = { ...ORDER, query: `${ORDER.query}&${name}=1` };
      expect(refusalOf(DERIBIT, request, KEY)).toContain(name);
    },
  );

  test('a login takes nothing from the caller', () => {
    const login = wsRequest('public/auth', { data: 'GET' });
    expect(classOf(DERIBIT, login, KEY)).toBe('refused');
    expect(classOf(DERIBIT, wsRequest('private/withdraw'), KEY)).toBe('refused');
  });
});
