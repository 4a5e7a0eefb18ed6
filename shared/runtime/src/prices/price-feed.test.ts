import { afterEach, expect, it } from '@jest/globals';
import { createTestRelay, openTestFeed, trustIn } from '../../../../test/support/price-relays.js';
import { createLogger } from '../process/logger.js';
import { NO_PRICE_FEED, openPriceFeed, type PriceFeed } from './price-feed.js';

const NOW = 1_700_000_000_000;
const relay = createTestRelay('one');
const used = { asset: 'BTC', price: '100', at: NOW, relay: 'one' };
const opened: PriceFeed[] = [];

afterEach(() => opened.splice(0).forEach((feed) => feed.stop()));

function open(trust = trustIn([relay])) {
  const test = openTestFeed(trust, () => NOW);
  opened.push(test.feed);
  return test;
}

it('has what was published, and says whether that is enough', async () => {
  const { feed, tell } = open();
  expect(feed.state()).toBe('unavailable');
  await tell(relay, relay.snapshot(NOW, { BTC: '100' }));
  expect(feed.current().priceOf('BTC')).toEqual(used);
  expect(feed.state()).toBe('ok');
});

it('looks once more before it says that it has not seen a price', async () => {
  const { feed, put } = open();
  await feed.confirm([used]);
  put(relay, relay.snapshot(NOW, { BTC: '100' }));
  expect(await feed.confirm([used])).toBe(true);
  expect(await feed.confirm([{ ...used, price: '99' }])).toBe(false);
});

it.each([
  ['hangs', () => new Promise<never>(() => undefined)],
  ['is away', () => Promise.reject(new Error('away'))],
])('has no prices when Redis %s, and does not wait for it', async (_what, fetch) => {
  const logger = createLogger('test', 'silent');
  const feed = openPriceFeed({ trust: trustIn([relay]), fetch, logger, now: () => NOW });
  opened.push(feed);
  expect(await feed.confirm([used])).toBe(false);
  expect(feed.current().priceOf('BTC')).toHaveProperty('unpriced');
});

it('asks nobody where no relay is trusted', async () => {
  const fetch = () => Promise.reject(new Error('asked'));
  const logger = createLogger('test', 'silent');
  const feed = openPriceFeed({ trust: undefined, fetch, logger, now: () => NOW });
  expect(feed).toBe(NO_PRICE_FEED);
  expect(feed.current().priceOf('BTC')).toEqual({
    unpriced: 'no relay of prices is configured here',
  });
  expect([await feed.confirm([used]), feed.state()]).toEqual([false, 'none']);
});
