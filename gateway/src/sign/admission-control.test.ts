import { describe, expect, it } from '@jest/globals';
import {
  attemptMs,
  createLoad,
  isOverloaded,
  itemsOf,
  mostOfBundle,
  noteBatch,
  noteBundle,
  type Load,
} from './admission-control.js';

/** A lane whose batches of so many took so long, and in which so many of each caller wait. */
function loadOf(
  size: number,
  tookMs: number,
  waiting: Readonly<Record<string, number>> = {},
): Load {
  const load = createLoad('quick');
  for (let batch = 0; batch < 50; batch++) noteBatch(load, size, tookMs);
  for (const [caller, count] of Object.entries(waiting)) {
    for (let index = 0; index < count; index++) load.ahead.add(caller);
  }
  return load;
}

describe('one more request', () => {
  it('is let in while it would wait for 800 ms at most, four batches at a time', () => {
    expect(isOverloaded(loadOf(64, 400, { a: 512 }), 'one', 'a')).toBe(false);
    expect(isOverloaded(loadOf(64, 400, { a: 513 }), 'one', 'a')).toBe(true);
    expect(isOverloaded(loadOf(64, 200, { a: 1_024 }), 'one', 'a')).toBe(false);
    expect(isOverloaded(loadOf(64, 200, { a: 1_025 }), 'one', 'a')).toBe(true);
  });

  it('is let in before any batch has come back, up to what memory allows', () => {
    const load = createLoad('rsa');
    for (let index = 0; index < 19_999; index++) load.ahead.add('a');
    expect(isOverloaded(load, 'one', 'a')).toBe(false);
    load.ahead.add('b');
    expect([isOverloaded(load, 'one', 'a'), isOverloaded(load, 'one', 'new')]).toEqual([
      true,
      true,
    ]);
  });

  it('is let in where few wait, however long batches take', () => {
    const load = createLoad('rsa');
    for (let batch = 0; batch < 50; batch++) noteBatch(load, 1, 60_000);
    for (let index = 0; index < 3; index++) load.ahead.add('a');
    expect(isOverloaded(load, 'one', 'a')).toBe(false);
    load.ahead.add('a');
    expect(isOverloaded(load, 'one', 'a')).toBe(true);
  });

  it('is let in after a quiet time, however many come at once: small batches say little of large ones', () => {
    expect(isOverloaded(loadOf(1, 14, { burst: 1_000 }), 'one', 'burst')).toBe(false);
  });

  it('counts turns: who has few waiting is let in while others are refused', () => {
    const load = loadOf(64, 400, { greedy: 1_000, modest: 200 });
    expect(isOverloaded(load, 'one', 'greedy')).toBe(true);
    expect(isOverloaded(load, 'one', 'modest')).toBe(false);
    expect(isOverloaded(load, 'one', 'new')).toBe(false);
  });

  it('is refused to nobody before somebody or other could be', () => {
    let [crowded, refused] = [0, 0];
    const load = loadOf(64, 400);
    for (let index = 0; index < 1_800; index++) {
      load.ahead.add(index % 3 === 0 ? 'modest' : 'greedy');
      for (const caller of ['modest', 'greedy', 'another']) {
        const isRefused = isOverloaded(load, 'one', caller);
        if (isRefused) expect(isOverloaded(load, 'one')).toBe(true);
        if (isRefused) refused += 1;
        if (isOverloaded(load, 'one')) crowded += 1;
      }
    }
    expect(refused).toBeGreaterThan(1_000);
    expect(crowded).toBeGreaterThan(refused);
  });
});

describe('a request for several', () => {
  const bundlesOf20 = (load: Load) => {
    for (let bundle = 0; bundle < 50; bundle++) noteBundle(load, 20);
    return load;
  };

  it('is let in while its last item would be answered within 1.5 s', () => {
    expect(isOverloaded(bundlesOf20(loadOf(64, 400, { a: 641 })), 'several', 'a')).toBe(false);
    expect(isOverloaded(bundlesOf20(loadOf(64, 400, { a: 642 })), 'several', 'a')).toBe(true);
    expect(isOverloaded(bundlesOf20(loadOf(64, 1_000, { a: 101 })), 'several', 'a')).toBe(false);
    expect(isOverloaded(bundlesOf20(loadOf(64, 1_000, { a: 102 })), 'several', 'a')).toBe(true);
  });

  it('takes as many turns as it has items', () => {
    const load = bundlesOf20(loadOf(64, 400, { greedy: 1_000, modest: 300 }));
    expect(isOverloaded(load, 'several', 'modest')).toBe(false);
    load.ahead.add('modest', 11);
    expect(isOverloaded(load, 'several', 'modest')).toBe(true);
    expect(isOverloaded(load, 'several', 'new')).toBe(false);
  });

  it('counts as what such requests had of late, and a request for one as one', () => {
    const load = createLoad('quick');
    expect([itemsOf(load, 'one'), itemsOf(load, 'several')]).toEqual([1, 1]);
    expect([itemsOf(bundlesOf20(load), 'one'), itemsOf(load, 'several')]).toEqual([1, 20]);
    for (let bundle = 0; bundle < 50; bundle++) noteBundle(load, 2);
    expect(itemsOf(load, 'several')).toBeLessThanOrEqual(3);
  });

  it('leaves together although batches are small, up to four times as much; by RSA keys it does not', () => {
    const load = createLoad('quick');
    noteBatch(load, 64, 60_000);
    expect([load.most, mostOfBundle(load)]).toEqual([26, 64]);
    noteBatch(load, 8, 10_000);
    expect([load.most, mostOfBundle(load)]).toEqual([8, 32]);
    expect(mostOfBundle(createLoad('rsa'))).toBe(8);
  });
});

describe('a batch', () => {
  it('may be as large as would have taken 1.2 s, where one took longer', () => {
    const load = createLoad('quick');
    noteBatch(load, 64, 1_200);
    expect(load.most).toBe(64);
    noteBatch(load, 64, 2_400);
    expect(load.most).toBe(32);
    noteBatch(load, 8, 1_201);
    expect(load.most).toBe(8);
    for (let batch = 0; batch < 10; batch++) noteBatch(load, 1, 10_000);
    expect(load.most).toBe(8);
  });

  it('that is small and takes long has nobody refused', () => {
    const load = loadOf(1, 14);
    noteBatch(load, 1, 3_000);
    for (let index = 0; index < 40; index++) load.ahead.add('a');
    expect(isOverloaded(load, 'one', 'a')).toBe(false);
  });

  it('may be larger by one after a full one that took half of that, up to 64', () => {
    const load = createLoad('quick');
    noteBatch(load, 64, 2_400);
    noteBatch(load, 31, 100);
    noteBatch(load, 32, 600);
    expect(load.most).toBe(32);
    noteBatch(load, 32, 599);
    expect(load.most).toBe(33);
    for (let batch = 0; batch < 100; batch++) noteBatch(load, load.most, 100);
    expect(load.most).toBe(64);
  });
});

it('a batch that had no room for one more bundle was full', () => {
  const load = createLoad('quick');
  for (let bundle = 0; bundle < 50; bundle++) noteBundle(load, 20);
  noteBatch(load, 64, 2_400);
  noteBatch(load, 12, 100);
  expect(load.most).toBe(32);
  noteBatch(load, 20, 100);
  expect(load.most).toBe(33);
});

describe('how long a batch is waited for', () => {
  it('is a second and a half, and twice what batches take where that is longer', () => {
    expect(attemptMs(createLoad('quick'))).toBe(1_500);
    expect(attemptMs(loadOf(64, 700))).toBe(1_500);
    expect(attemptMs(loadOf(64, 2_000))).toBeCloseTo(4_000, -1);
  });

  it('is not for long what one late answer makes of it', () => {
    const load = loadOf(64, 100);
    noteBatch(load, 1, 29_000);
    expect(load.tookMs).toBeLessThan(700);
    for (let batch = 0; batch < 10; batch++) noteBatch(load, 64, 100);
    expect(load.tookMs).toBeLessThan(200);
    expect(attemptMs(load)).toBe(1_500);
  });
});
