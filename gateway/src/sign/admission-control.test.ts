import { describe, expect, it } from '@jest/globals';
import { attemptMs, createLoad, isOverloaded, noteBatch, type Load } from './admission-control.js';

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
    expect(isOverloaded(loadOf(64, 400, { a: 512 }), 'a')).toBe(false);
    expect(isOverloaded(loadOf(64, 400, { a: 513 }), 'a')).toBe(true);
    expect(isOverloaded(loadOf(64, 200, { a: 1_024 }), 'a')).toBe(false);
    expect(isOverloaded(loadOf(64, 200, { a: 1_025 }), 'a')).toBe(true);
  });

  it('is let in before any batch has come back, up to what memory allows', () => {
    const load = createLoad('rsa');
    for (let index = 0; index < 19_999; index++) load.ahead.add('a');
    expect(isOverloaded(load, 'a')).toBe(false);
    load.ahead.add('b');
    expect([isOverloaded(load, 'a'), isOverloaded(load, 'new')]).toEqual([true, true]);
  });

  it('is let in where few wait, however long batches take', () => {
    const load = createLoad('rsa');
    for (let batch = 0; batch < 50; batch++) noteBatch(load, 1, 60_000);
    for (let index = 0; index < 3; index++) load.ahead.add('a');
    expect(isOverloaded(load, 'a')).toBe(false);
    load.ahead.add('a');
    expect(isOverloaded(load, 'a')).toBe(true);
  });

  it('is let in after a quiet time, however many come at once: small batches say little of large ones', () => {
    expect(isOverloaded(loadOf(1, 14, { burst: 1_000 }), 'burst')).toBe(false);
  });

  it('counts turns: who has few waiting is let in while others are refused', () => {
    const load = loadOf(64, 400, { greedy: 1_000, modest: 200 });
    expect(isOverloaded(load, 'greedy')).toBe(true);
    expect(isOverloaded(load, 'modest')).toBe(false);
    expect(isOverloaded(load, 'new')).toBe(false);
  });

  it('is refused to nobody before somebody or other could be', () => {
    let [crowded, refused] = [0, 0];
    const load = loadOf(64, 400);
    for (let index = 0; index < 1_800; index++) {
      load.ahead.add(index % 3 === 0 ? 'modest' : 'greedy');
      for (const caller of ['modest', 'greedy', 'another']) {
        const isRefused = isOverloaded(load, caller);
        if (isRefused) expect(isOverloaded(load)).toBe(true);
        if (isRefused) refused += 1;
        if (isOverloaded(load)) crowded += 1;
      }
    }
    expect(refused).toBeGreaterThan(1_000);
    expect(crowded).toBeGreaterThan(refused);
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
    expect(isOverloaded(load, 'a')).toBe(false);
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
