import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { velocity } from '@countersign/api/conditions/velocity.js';
import { VELOCITY_SCOPES, VELOCITY_UNITS } from '@countersign/core/vocabulary.js';
import { limitFormOf, limitOf, limitWords, NO_LIMIT, type Limit } from './limit-form.js';
import { assetsOfRule } from './rule-units.js';

const A_DAY: Limit = { limit: '5', unit: 'amount', window_s: 86_400, per: 'initiator' };

describe('the form of a limit', () => {
  it('says nothing before one chooses what is counted', () => {
    expect(limitFormOf(undefined)).toEqual(NO_LIMIT);
    expect(limitOf(NO_LIMIT)).toBeUndefined();
  });

  it('begins with a day for each who asks', () => {
    expect(limitOf({ ...NO_LIMIT, unit: 'amount', most: '5' })).toEqual(A_DAY);
  });

  it('gives back every limit as it was', () => {
    const limits = fc.record({
      limit: fc.integer({ min: 0, max: 9_000 }).map(String),
      unit: fc.constantFrom(...VELOCITY_UNITS),
      window_s: fc.integer({ min: 1, max: 2_678_400 }),
      per: fc.constantFrom(...VELOCITY_SCOPES),
    });
    fc.assert(
      fc.property(limits, (limit) => {
        expect(limitOf(limitFormOf(limit))).toEqual(limit);
      }),
    );
  });

  it.each([
    [60, '60 seconds'],
    [90, '90 seconds'],
    [3_600, '60 minutes'],
    [86_400, '24 hours'],
    [172_800, '2 days'],
    [90_000, '25 hours'],
    [1, 'second'],
  ])('tells %d seconds as any %s', (windowS, window) => {
    expect(sentence({ ...A_DAY, window_s: windowS })).toContain(`in any ${window}, counted`);
  });
});

describe('a limit as a sentence', () => {
  const btc = { symbols: ['BTCUSDT'], venue_ids: ['binance'] };

  it.each([
    [A_DAY, {}, 'at most 5 of what is traded or moved in any 24 hours, counted for each one'],
    [A_DAY, btc, 'at most 5 BTC in any 24 hours, counted for each one who asks'],
    [{ ...A_DAY, unit: 'quote_amount' }, btc, 'at most 5 USDT in any 24 hours'],
    [
      { ...A_DAY, unit: 'usd', per: 'group' },
      {},
      'at most 5 US dollars in any 24 hours, counted for all',
    ],
    [
      { ...A_DAY, unit: 'count', limit: '1', per: 'key' },
      {},
      'at most 1 request in any 24 hours, counted for each key',
    ],
  ] as const)('%j beside %j', (limit, when, text) => {
    expect(sentence(limit, when)).toContain(text);
  });
});

function sentence(limit: Limit, when: object = {}): string {
  return limitWords(limit, velocity.words, assetsOfRule(when));
}
