/** A request of class `unknown` says which part of it nobody knows: it is what its author can change. */
import { describe, expect, it } from '@jest/globals';
import { BINANCE } from '@countersign/venues/binance.js';
import { BYBIT } from '@countersign/venues/bybit.js';
import { OKX } from '@countersign/venues/okx.js';
import { planOf, refusalOf, restRequest } from '../support/venue-checks.ts';

const KEY = { type: 'hmac', apiKey: 'key' } as const;

function reasonAt(venue: typeof OKX, line: string, content: { query?: string; body?: string }) {
  const { facts } = planOf(venue, restRequest(line, content), KEY);
  return { operationClass: facts.operationClass, because: facts.unknownBecause };
}

describe('the reason of class unknown', () => {
  it.each([
    [
      OKX,
      'POST /api/v5/trade/ordr',
      { body: '{}' },
      'the table of OKX has no endpoint "POST /api/v5/trade/ordr"',
    ],
    [
      OKX,
      'POST /api/v5/trade/order',
      { query: 'instId=A' },
      'POST /api/v5/trade/order takes no query',
    ],
    [
      OKX,
      'POST /api/v5/trade/order',
      { body: '{"instId":"A","leverage":"3"}' },
      'POST /api/v5/trade/order takes no parameter "leverage"',
    ],
    [
      OKX,
      'POST /api/v5/trade/order',
      { body: '[{"instId":"A"}]' },
      'POST /api/v5/trade/order takes no JSON list as its body',
    ],
    [
      BYBIT,
      'GET /v5/order/realtime',
      { query: 'category=spot&foo=1' },
      'GET /v5/order/realtime takes no parameter "foo"',
    ],
    [
      BINANCE,
      'GET /api/v3/account',
      { query: 'foo=1' },
      'GET /api/v3/account takes no parameter "foo"',
    ],
  ])('%s', (venue, line, content, because) => {
    expect(reasonAt(venue, line, content)).toEqual({ operationClass: 'unknown', because });
  });

  it('is no text of the caller', () => {
    const body = JSON.stringify({ instId: 'A', '<script>\u007f': 'x' }).replace('\u007f', '');
    expect(reasonAt(OKX, 'POST /api/v5/trade/order', { body }).because).toBe(
      'POST /api/v5/trade/order takes no parameter "?script?"',
    );
  });

  it('stands in the refusal of what would move funds elsewhere', () => {
    const query = 'coin=USDT&address=T1&amount=1';
    expect(refusalOf(BINANCE, restRequest('GET /api/v3/account', { query }), KEY)).toBe(
      'GET /api/v3/account takes no parameter "coin", and its signature would be valid for ' +
        'POST /sapi/v1/capital/withdraw/apply',
    );
  });

  it('is absent where the class is known', () => {
    expect(reasonAt(OKX, 'GET /api/v5/account/balance', {}).because).toBeUndefined();
  });
});
