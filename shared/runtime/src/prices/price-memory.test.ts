import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTestRelay, openTestFeed, trustIn } from '../../../../test/support/price-relays.js';
import { forgetOlderPrices, openPriceMemory, type PriceMemory } from './price-memory.js';

const NOW = 1_700_000_000_000;
const relay = createTestRelay('one');
const other = createTestRelay('two');

let folder: string;
let path: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prices-'));
});
beforeEach(() => {
  path = join(folder, `${count++}`, 'pin.prices');
});
afterAll(() => rm(folder, { recursive: true }));

/** A process that was shown these prices of BTC, made at these moments, one after the other: the price by which it goes. */
async function shown(memory: PriceMemory, ...snapshots: readonly [price: string, at: number][]) {
  const { feed, tell } = openTestFeed(trustIn([relay, other]), () => NOW, memory);
  feed.stop();
  for (const [price, at] of snapshots) await tell(relay, relay.snapshot(at, { BTC: price }));
  const found = feed.current().priceOf('BTC');
  return 'price' in found ? found.price : undefined;
}

it('keeps a process from earlier prices than those before it went by, and lets it go on with the newest', async () => {
  expect(await shown(await openPriceMemory(path), ['1', NOW - 20], ['100', NOW - 10])).toBe('100');
  expect(await shown(await openPriceMemory(path), ['1', NOW - 20])).toBeUndefined();
  expect(await shown(await openPriceMemory(path), ['100', NOW - 10])).toBe('100');
  expect(await shown(await openPriceMemory(path), ['101', NOW - 9])).toBe('101');
  expect(await shown(await openPriceMemory(path), ['100', NOW - 10])).toBeUndefined();
});

it('is on the disk before a price counts: one that could not be written does not', async () => {
  const memory = await openPriceMemory(path);
  let isFull = true;
  const failing: PriceMemory = {
    ...memory,
    keep: (news) => (isFull ? Promise.reject(new Error('no space')) : memory.keep(news)),
  };
  const { feed, tell } = openTestFeed(trustIn([relay]), () => NOW, failing);
  feed.stop();
  const snapshot = relay.snapshot(NOW, { BTC: '100' });
  await tell(relay, snapshot);
  expect(feed.current().priceOf('BTC')).toHaveProperty('unpriced');
  isFull = false;
  await tell(relay, snapshot);
  expect(feed.current().priceOf('BTC')).toMatchObject({ price: '100' });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ one: NOW });
});

it('keeps what it knows of relays that say nothing new', async () => {
  const memory = await openPriceMemory(path);
  await memory.keep([
    { relay: 'one', at: NOW },
    { relay: 'two', at: NOW - 5 },
  ]);
  await memory.keep([{ relay: 'two', at: NOW - 1 }]);
  const again = await openPriceMemory(path);
  expect(['one', 'two', 'three'].map(again.newestOf)).toEqual([NOW, NOW - 1, 0]);
});

it('is no file that says something else', async () => {
  await (await openPriceMemory(path)).keep([{ relay: 'one', at: NOW }]);
  for (const text of ['', '[]', '{"one":"now"}', '{"one":-1}']) {
    await writeFile(path, text);
    await expect(openPriceMemory(path)).rejects.toThrow('no memory of prices');
  }
});

it('without a folder is the moment of the start', async () => {
  expect(await shown(forgetOlderPrices(NOW - 10), ['1', NOW - 11])).toBeUndefined();
  expect(await shown(forgetOlderPrices(NOW - 10), ['1', NOW - 11], ['100', NOW - 9])).toBe('100');
});
