import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { PairBreakers, type BatchEnd } from './pair-breakers.js';

const PAIRS = [
  [1, 2],
  [1, 3],
  [2, 3],
] as const;

let breakers: PairBreakers;
let now: number;
beforeEach(() => {
  breakers = new PairBreakers();
  now = 1_000_000;
});

/** A batch that left now, and took so long. */
function batch(a: PartyNumber, b: PartyNumber, end: BatchEnd, tookMs = 20): void {
  const launchedAt = now;
  now += tookMs;
  breakers.note(a, b, { launchedAt, end, isPartnerAtFault: false }, now);
}

const all = () => PAIRS.map(([a, b]) => breakers.breaker(a, b, now));

/**
 * Runs for so long: pairs that are good in turn, trials when they are due. `answers`: whether a pair comes to an
 * answer. How many batches of each pair left.
 */
function run(ms: number, answers: (a: PartyNumber, b: PartyNumber) => BatchEnd) {
  const until = now + ms;
  const left: Record<string, number> = { '12': 0, '13': 0, '23': 0 };
  for (let turn = 0; now < until; turn++) {
    const [a, b] = PAIRS[turn % 3]!;
    const breaker = breakers.breaker(a, b, now);
    if (breaker === 'open') continue;
    if (breaker === 'half_open') breakers.beginTrial(a, b, now);
    left[`${a}${b}`]! += 1;
    const end = answers(a, b);
    batch(a, b, end, end === 'lost' ? 1_500 : 20);
  }
  return left;
}

describe('a pair', () => {
  it('is good at first, and while its batches are answered', () => {
    for (let count = 0; count < 100; count++) for (const [a, b] of PAIRS) batch(a, b, 'answered');
    expect(all()).toEqual(['closed', 'closed', 'closed']);
  });

  it('is left out for a batch that is lost, and tried again after a while', () => {
    batch(3, 1, 'lost');
    expect(all()).toEqual(['closed', 'open', 'closed']);
    now += 2_000;
    expect(all()).toEqual(['closed', 'half_open', 'closed']);
    breakers.beginTrial(1, 3, now);
    expect(all()).toEqual(['closed', 'open', 'closed']);
    batch(1, 3, 'answered');
    expect(all()).toEqual(['closed', 'closed', 'closed']);
  });

  it('is tried once at a time, and again where a trial is never heard of', () => {
    batch(1, 3, 'lost');
    now += 2_000;
    breakers.beginTrial(1, 3, now);
    now += 2_999;
    expect(breakers.breaker(1, 3, now)).toBe('open');
    now += 1;
    expect(breakers.breaker(1, 3, now)).toBe('half_open');
  });

  it('is left out once for all that was under way when it failed', () => {
    const launchedAt = now;
    for (let count = 0; count < 8; count++) {
      batch(1, 2, 'answered');
      breakers.note(1, 3, { launchedAt, end: 'lost', isPartnerAtFault: false }, now);
    }
    breakers.note(1, 3, { launchedAt, end: 'answered', isPartnerAtFault: false }, now);
    expect(breakers.breaker(1, 3, now)).toBe('open');
    now += 2_000;
    expect(breakers.breaker(1, 3, now)).toBe('half_open');
  });

  it('rests twice as long each time a trial fails while another pair works, up to five minutes', () => {
    const pauses: number[] = [];
    batch(1, 3, 'lost');
    let outAt = now;
    for (let trial = 0; trial < 10; trial++) {
      while (breakers.breaker(1, 3, now) !== 'half_open') batch(1, 2, 'answered', 100);
      pauses.push(Math.round((now - outAt) / 1_000));
      breakers.beginTrial(1, 3, now);
      const launchedAt = now;
      batch(1, 2, 'answered', 100);
      breakers.note(1, 3, { launchedAt, end: 'lost', isPartnerAtFault: false }, now);
      outAt = now;
    }
    expect(pauses.slice(0, 9)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300]);
  });

  it('rests no longer where nobody else worked either: that is no fault of its own', () => {
    for (let round = 0; round < 10; round++) {
      for (const [a, b] of PAIRS) batch(a, b, 'lost', 1_500);
      now += 2_000;
      expect(all()).toEqual(['half_open', 'half_open', 'half_open']);
    }
  });

  it('that fails again soon after it was tried begins where it was', () => {
    const fail = () => {
      const launchedAt = now;
      batch(1, 2, 'answered');
      breakers.note(1, 3, { launchedAt, end: 'lost', isPartnerAtFault: false }, now);
    };
    fail();
    now += 2_000;
    fail();
    now += 4_000;
    batch(1, 3, 'answered');
    fail();
    now += 7_999;
    expect(breakers.breaker(1, 3, now)).toBe('open');
    now += 1;
    batch(1, 3, 'answered');
    now += 80_000;
    fail();
    now += 2_000;
    expect(breakers.breaker(1, 3, now)).toBe('half_open');
  });

  it('may have some batches to be tried again, and not most', () => {
    const some = ['answered', 'answered', 'answered', 'retried'] as const;
    for (let count = 0; count < 400; count++) batch(1, 3, some[count % 4]!);
    expect(breakers.breaker(1, 3, now)).toBe('closed');
    const most = ['answered', 'retried', 'retried'] as const;
    const seen = Array.from({ length: 10 }, (_, count) => {
      batch(1, 3, most[count % 3]!);
      return breakers.breaker(1, 3, now);
    });
    expect(seen).toContain('open');
  });

  it('that answers far slower than another is left out, and one of a slow network is not', () => {
    for (let count = 0; count < 10; count++) {
      batch(1, 2, 'answered', 80);
      batch(1, 3, 'answered', 500);
      batch(2, 3, 'answered', 639);
    }
    expect(all()).toEqual(['closed', 'closed', 'closed']);
    for (let count = 0; count < 4; count++) batch(1, 3, 'answered', 1_400);
    expect(all()).toEqual(['closed', 'open', 'closed']);
  });
});

describe('a party that does not answer', () => {
  it.each([1, 2, 3] as const)('(%d) gets a trial now and then', (bad) => {
    const left = run(600_000, (a, b) => (a === bad || b === bad ? 'lost' : 'answered'));
    const wasted = PAIRS.filter((pair) => (pair as readonly number[]).includes(bad)).map(
      ([a, b]) => left[`${a}${b}`]!,
    );
    for (const count of wasted) expect(count).toBeLessThan(12);
    expect(Object.values(left).reduce((sum, count) => sum + count)).toBeGreaterThan(20_000);
  });

  it('is left out as well when it answers nothing but what is to be tried again', () => {
    const left = run(600_000, (a, b) => (a === 2 || b === 2 ? 'retried' : 'answered'));
    expect(left['13']).toBeGreaterThan(20_000);
    expect(left['12']! + left['23']!).toBeLessThan(100);
  });

  it('cannot have another left out: who fails with one party alone keeps that pair from signing, and nobody else', () => {
    const left = run(600_000, (a, b) => (a + b === 5 ? 'lost' : 'answered'));
    expect(left['23']).toBeLessThan(12);
    expect(left['12']).toBeGreaterThan(10_000);
    expect(left['13']).toBeGreaterThan(10_000);
  });

  it('keeps little time from the others when it works just well enough to be asked again', () => {
    const until = now + 3_600_000;
    let good = 0;
    let lost = 0;
    for (let turn = 0; now < until; turn++) {
      const [a, b] = PAIRS[turn % 3]!;
      const breaker = breakers.breaker(a, b, now);
      if (breaker === 'open') continue;
      // it answers each trial, and fails as soon as it is asked again
      const fails = b === 3 && breaker === 'closed';
      if (breaker === 'half_open') breakers.beginTrial(a, b, now);
      batch(a, b, fails ? 'lost' : 'answered', fails ? 1_500 : 20);
      if (fails) lost += 1;
      else good += 1;
    }
    expect((lost * 1_500) / (good * 20 + lost * 1_500)).toBeLessThan(0.02);
  });

  it('is asked like the others once it answers again', () => {
    run(60_000, (a, b) => (a === 3 || b === 3 ? 'lost' : 'answered'));
    run(300_000, () => 'answered');
    expect(all()).toEqual(['closed', 'closed', 'closed']);
  });
});
