/** What a process believes of prices, whoever brings them: relays that lie, a Redis that holds back and replays. */
import { describe, expect, it } from '@jest/globals';
import { createTestRelay, trustIn } from '../../../../test/support/price-relays.js';
import { createPriceBoard, type PriceBoard } from './price-board.js';

const NOW = 1_700_000_000_000;
const [one, two, three] = [
  createTestRelay('one'),
  createTestRelay('two'),
  createTestRelay('three'),
];

/** Whether it was news. */
function accept(
  board: PriceBoard,
  relay: ReturnType<typeof createTestRelay>['trusted'],
  published: Uint8Array,
  now: number,
): boolean {
  const news = board.findNews(relay, published, now);
  if (news !== undefined) board.take(news);
  return news !== undefined;
}

/** A board that trusts them, and was brought this price of BTC by each at that moment. */
function boardOf(
  relays: readonly (readonly [ReturnType<typeof createTestRelay>, string, number?])[],
  change: Parameters<typeof trustIn>[1] = {},
) {
  const board = createPriceBoard(trustIn([one, two, three], change));
  for (const [relay, price, at = NOW] of relays) {
    accept(board, relay.trusted, relay.snapshot(at, { BTC: price }), NOW);
  }
  return board;
}

const found = (board: ReturnType<typeof boardOf>, now = NOW) => board.at(now).priceOf('BTC');

it('has the price of a relay that is trusted, with its name and its time', () => {
  expect(found(boardOf([[one, '100', NOW - 5]]))).toEqual({
    asset: 'BTC',
    price: '100',
    at: NOW - 5,
    relay: 'one',
  });
  expect(
    boardOf([[one, '100']])
      .at(NOW)
      .priceOf('ETH'),
  ).toEqual({
    unpriced: 'there is no price of ETH',
  });
});

describe('takes nothing', () => {
  const stranger = createTestRelay('one');

  it.each([
    ['that a stranger signed in its name', stranger.snapshot(NOW, { BTC: '1' })],
    ['that another relay signed', two.snapshot(NOW, { BTC: '1' })],
    ['that names another relay', one.snapshot(NOW, { BTC: '1' }, 'two')],
    ['that was changed', changed(one.snapshot(NOW, { BTC: '1' }))],
    ['that is no snapshot', Buffer.from('no snapshot')],
    ['that is too old', one.snapshot(NOW - 60_001, { BTC: '1' })],
    ['of a time that is still to come', one.snapshot(NOW + 5_001, { BTC: '1' })],
  ])('%s', (_what, published) => {
    const board = boardOf([]);
    expect(accept(board, one.trusted, published, NOW)).toBe(false);
    expect(found(board)).toHaveProperty('unpriced');
  });

  it('older than what it has had, or as old: a replay changes nothing', () => {
    const board = boardOf([[one, '100', NOW - 10]]);
    for (const at of [NOW - 20, NOW - 10]) {
      expect(accept(board, one.trusted, one.snapshot(at, { BTC: '1' }), NOW)).toBe(false);
    }
    expect(found(board)).toMatchObject({ price: '100' });
    expect(accept(board, one.trusted, one.snapshot(NOW - 9, { BTC: '101' }), NOW)).toBe(true);
    expect(found(board)).toMatchObject({ price: '101' });
  });

  it('older than it may be after a start either, where nobody knows what was before', () => {
    const started = boardOf([[one, '100', NOW - 60_000]]);
    expect(found(started)).toMatchObject({ price: '100', at: NOW - 60_000 });
    expect(found(boardOf([[one, '100', NOW - 60_001]]))).toHaveProperty('unpriced');
  });

  it('older than what counted before it: that alone may come again', () => {
    const before = (relay: string) => (relay === 'one' ? NOW - 10 : 0);
    const board = createPriceBoard(trustIn([one, two]), before);
    expect(accept(board, one.trusted, one.snapshot(NOW - 11, { BTC: '1' }), NOW)).toBe(false);
    expect(accept(board, two.trusted, two.snapshot(NOW - 11, { ETH: '1' }), NOW)).toBe(true);
    expect(accept(board, one.trusted, one.snapshot(NOW - 10, { BTC: '100' }), NOW)).toBe(true);
    expect(found(board)).toMatchObject({ price: '100' });
    expect(accept(board, one.trusted, one.snapshot(NOW - 10, { BTC: '1' }), NOW)).toBe(false);
  });

  function changed(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    const at = copy.indexOf('BTC');
    copy.write('ETH', at);
    return copy;
  }
});

it('has no price any more when nothing new comes', () => {
  const board = boardOf([[one, '100']]);
  expect(found(board, NOW + 60_000)).toMatchObject({ price: '100' });
  expect(found(board, NOW + 60_001)).toEqual({
    unpriced: 'fewer than 1 relays have prices of the last 60 s',
  });
  expect([board.isFresh(NOW + 60_000), board.isFresh(NOW + 60_001)]).toEqual([true, false]);
});

it('keeps the prices of a moment as they were', () => {
  const board = boardOf([[one, '100', NOW - 1]]);
  const before = board.at(NOW);
  accept(board, one.trusted, one.snapshot(NOW, { BTC: '101' }), NOW);
  expect(before.priceOf('BTC')).toMatchObject({ price: '100' });
});

describe('of several relays', () => {
  it('takes the median, and of two the higher', () => {
    expect(
      found(
        boardOf([
          [one, '101'],
          [two, '100'],
          [three, '102'],
        ]),
      ),
    ).toMatchObject({
      price: '101',
      relay: 'one',
    });
    expect(
      found(
        boardOf([
          [one, '100'],
          [two, '101'],
        ]),
      ),
    ).toMatchObject({ relay: 'two' });
  });

  it('lets none of them alone make anything cheaper than another says', () => {
    for (const lie of ['98.5', '99', '99.99']) {
      for (const honest of [
        [[two, '100']],
        [
          [two, '100'],
          [three, '100.2'],
        ],
      ] as const) {
        const { price } = found(boardOf([[one, lie], ...honest], { needed: 2 })) as {
          price: string;
        };
        expect(Number(price)).toBeGreaterThanOrEqual(100);
      }
    }
  });

  it('has no price where they lie too far apart, whichever lies', () => {
    for (const lie of ['1', '97', '103', '1000000']) {
      const board = boardOf([
        [one, lie],
        [two, '100'],
        [three, '100'],
      ]);
      expect(found(board)).toEqual({ unpriced: 'the prices of BTC diverge' });
    }
  });

  it('has no price before enough of them have fresh ones', () => {
    expect(found(boardOf([[one, '100']], { needed: 2 }))).toHaveProperty('unpriced');
    const board = boardOf(
      [
        [one, '100'],
        [two, '100', NOW - 50_000],
      ],
      { needed: 2 },
    );
    expect(found(board)).toMatchObject({ price: '100' });
    expect(found(board, NOW + 10_001)).toHaveProperty('unpriced');
    accept(board, two.trusted, two.snapshot(NOW + 1, { ETH: '1' }), NOW + 1);
    expect(found(board, NOW + 1)).toEqual({ unpriced: 'there is no price of BTC' });
  });
});

it('knows which prices it has seen, by relay, time and price, as long as they are fresh', () => {
  const board = boardOf([
    [one, '100', NOW - 20],
    [one, '101', NOW - 10],
  ]);
  const used = { asset: 'BTC', price: '100', at: NOW - 20, relay: 'one' };
  expect(board.hasSeen([used, { ...used, price: '101', at: NOW - 10 }], NOW)).toBe(true);
  for (const change of [{ price: '101' }, { at: NOW - 10 }, { relay: 'two' }, { asset: 'ETH' }]) {
    expect(board.hasSeen([{ ...used, ...change }], NOW)).toBe(false);
  }
  expect(board.hasSeen([used], NOW + 60_000)).toBe(false);
});
