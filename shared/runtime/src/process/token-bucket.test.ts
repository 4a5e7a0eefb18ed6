import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from './token-bucket.js';

function openBucket() {
  const clock = { now: 1_000_000 };
  const bucket = new TokenBucket({ capacity: 10, perSecond: 4 }, () => clock.now);
  return { bucket, clock };
}

describe('a bucket of tokens', () => {
  it('gives all it holds at once, then as many as come back', () => {
    const { bucket, clock } = openBucket();
    expect(bucket.tryTake(10)).toBe(true);
    expect(bucket.tryTake(1)).toBe(false);
    clock.now += 250;
    expect(bucket.tryTake(1)).toBe(true);
    expect(bucket.tryTake(1)).toBe(false);
  });

  it('leaves in it what it is told to leave', () => {
    const { bucket } = openBucket();
    expect(bucket.tryTake(5, 6)).toBe(false);
    expect(bucket.tryTake(4, 6)).toBe(true);
    expect(bucket.tryTake(1, 6)).toBe(false);
    expect(bucket.tryTake(6)).toBe(true);
  });

  it('gives all or nothing, or as many whole ones as there are', () => {
    const { bucket, clock } = openBucket();
    expect(bucket.tryTake(11)).toBe(false);
    expect(bucket.takeUpTo(11)).toBe(10);
    clock.now += 400;
    expect(bucket.takeUpTo(11)).toBe(1);
    expect(bucket.takeUpTo(11)).toBe(0);
    // what was left of the second one counts
    clock.now += 100;
    expect(bucket.takeUpTo(11)).toBe(1);
  });

  it('never holds more than its capacity, however long it stands or is given', () => {
    const { bucket, clock } = openBucket();
    clock.now += 3_600_000;
    bucket.give(100);
    expect(bucket.takeUpTo(100)).toBe(10);
    bucket.give(3);
    expect(bucket.takeUpTo(100)).toBe(3);
  });

  it('gives nothing for a clock that is set back, and goes on from there', () => {
    const { bucket, clock } = openBucket();
    bucket.takeUpTo(10);
    clock.now -= 60_000;
    expect(bucket.takeUpTo(10)).toBe(0);
    clock.now += 1_000;
    expect(bucket.takeUpTo(10)).toBe(4);
  });
});
