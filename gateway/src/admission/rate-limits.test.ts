import { describe, expect, it } from '@jest/globals';
import type { Attempt } from './attempt.js';
import { createBucketTable } from './bucket-table.js';
import { createRateLimits, isBrake, type RateLimits } from './rate-limits.js';

const RATES = { perAddress: 100, perCredential: 50, failuresPerAddress: 5 };
const SOURCE = '192.0.2.7';

function limitsAt(clock: { now: number }) {
  return createRateLimits(RATES, () => clock.now);
}

const of = (callerId: string | undefined, source = SOURCE, brake = false): Attempt => ({
  callerId,
  source,
  isBrake: brake,
});

/** How many of so many are let through. */
function passed(count: number, refuse: () => unknown): number {
  return Array.from({ length: count }, refuse).filter((refusal) => refusal === undefined).length;
}

describe('an address', () => {
  it('sends a burst and then its rate, and is told when to come again', () => {
    const clock = { now: 0 };
    const limits = limitsAt(clock);
    expect(passed(1_000, () => limits.refuseSource(SOURCE))).toBe(200);
    expect(limits.refuseSource(SOURCE)).toEqual({
      refused: 'gateway_timeout',
      message: 'too many requests from your address',
      tooOftenForS: 1,
    });
    clock.now = 1_000;
    expect(passed(1_000, () => limits.refuseSource(SOURCE))).toBe(100);
    expect(limits.refuseSource('192.0.2.8')).toBeUndefined();
    expect(limits.refused).toEqual({ address: 1_701, credential: 0, failures: 0 });
  });
});

/** What becomes of a signed request: refused, or its assertion found right or wrong. */
function sign(limits: RateLimits, attempt: Attempt, isRight: boolean) {
  const refusal = limits.refuseAttempt(attempt);
  if (refusal !== undefined) return refusal;
  if (!isRight) return limits.noteFailure(attempt);
  const tooOften = limits.refuseSigned(attempt);
  if (tooOften === undefined) limits.noteProven(attempt);
  return tooOften;
}

const MANY = 5_000;
const addressOf = (index: number) => `10.0.${index >> 8}.${index & 255}`;

describe('what a caller signs', () => {
  it('has its own rate, whatever address it comes from', () => {
    const limits = limitsAt({ now: 0 });
    let turn = 0;
    const many = () => sign(limits, of('ada', `192.0.2.${(turn += 1) % 250}`), true);
    expect(passed(500, many)).toBe(100);
    expect(sign(limits, of('bob'), true)).toBeUndefined();
  });

  it('that used up its rate still freezes', () => {
    const limits = limitsAt({ now: 0 });
    passed(500, () => sign(limits, of('ada'), true));
    expect(passed(500, () => sign(limits, of('ada', SOURCE, true), true))).toBe(100);
  });

  it('is refused before its assertion is checked once it is too much', () => {
    const clock = { now: 0 };
    const limits = limitsAt(clock);
    passed(100, () => sign(limits, of('ada'), true));
    expect(limits.refuseAttempt(of('ada', '192.0.2.8'))).toMatchObject({
      message: 'too many requests with your credential',
      tooOftenForS: 1,
    });
    clock.now = 20;
    expect(limits.refuseAttempt(of('ada'))).toBeUndefined();
  });

  it('is not used up by heads, reads, wrong assertions or replays of whoever has no private key', () => {
    const limits = limitsAt({ now: 0 });
    for (let index = 0; index < MANY; index++) {
      const thief = of('ada', addressOf(index % 3));
      limits.refuseAttempt(thief);
      limits.refuseRead(thief);
      sign(limits, thief, false);
      if (limits.refuseSigned(thief) === undefined) limits.noteReplay(thief);
    }
    expect(limits.refuseSigned(of('ada'))).toBeUndefined();
    expect(passed(500, () => limits.refuseSigned(of('ada')))).toBe(99);
  });
});

describe('whoever has a credential and no private key', () => {
  it('at one address shuts its owner out nowhere else, who has not even signed there before', () => {
    const clock = { now: 0 };
    const limits = limitsAt(clock);
    const thief = of('ada', '192.0.2.66');
    let refused = 0;
    for (; clock.now < 60_000; clock.now += 10) {
      for (const brake of [false, true]) {
        passed(5, () => sign(limits, { ...thief, isBrake: brake }, false));
      }
      passed(5, () => limits.refuseRead(thief));
      if (clock.now % 1_000 !== 0) continue;
      const owner = of('ada', addressOf(clock.now / 1_000));
      refused += 3 - passed(1, () => limits.refuseRead(owner));
      refused -= passed(1, () => sign(limits, owner, true));
      refused -= passed(1, () => sign(limits, { ...owner, isBrake: true }, true));
    }
    expect(refused).toBe(0);
  });

  it('at very many addresses shuts its owner out at none where they have signed', () => {
    const clock = { now: 0 };
    const limits = limitsAt(clock);
    expect(sign(limits, of('ada'), true)).toBeUndefined();
    let turn = 0;
    for (let round = 0; round < 20; round++, clock.now += 1_000) {
      for (const brake of [false, true]) {
        passed(MANY, () => sign(limits, of('ada', addressOf((turn += 1)), brake), false));
      }
      passed(MANY, () => limits.refuseRead(of('ada', addressOf((turn += 1)))));
      expect(passed(20, () => sign(limits, of('ada'), true))).toBe(20);
      expect(passed(20, () => sign(limits, of('ada', SOURCE, true), true))).toBe(20);
      expect(passed(20, () => limits.refuseRead(of('ada')))).toBe(20);
    }
  });

  it('gets so many checks, and so many reads, however many addresses they have', () => {
    const clock = { now: 0 };
    const limits = limitsAt(clock);
    let turn = 0;
    const next = () => of('ada', addressOf((turn += 1)));
    const counted = () => [
      passed(MANY, () => sign(limits, next(), false)),
      passed(MANY, () => sign(limits, { ...next(), isBrake: true }, false)),
      passed(MANY, () => limits.refuseRead(next())),
    ];
    expect(counted()).toEqual([100, 100, 100]);
    clock.now += 1_000;
    expect(counted()).toEqual([50, 50, 50]);
    expect(limits.refuseAttempt(of('bob'))).toBeUndefined();
    expect(limits.refuseRead(of('bob'))).toBeUndefined();
  });

  it('is held to what fails at an address, also where its owner has signed', () => {
    const limits = limitsAt({ now: 0 });
    sign(limits, of('ada'), true);
    expect(passed(MANY, () => sign(limits, of('ada'), false))).toBe(50);
    expect(limits.refuseFailing(of('ada'))?.tooOftenForS).toBe(1);
  });
});

describe('reads with a credential alone', () => {
  it('get its rate at one address, and half of the burst', () => {
    const clock = { now: 0 };
    const limits = limitsAt(clock);
    expect(passed(MANY, () => limits.refuseRead(of('ada')))).toBe(50);
    let read = 0;
    for (let round = 0; round < 100; round++) {
      clock.now += 100;
      read += passed(MANY, () => limits.refuseRead(of('ada')));
    }
    expect(read).toBe(500);
  });

  it('get as much again at each address where their caller has signed', () => {
    const limits = limitsAt({ now: 0 });
    for (const source of ['192.0.2.1', '192.0.2.2']) {
      sign(limits, of('ada', source), true);
      expect(passed(MANY, () => limits.refuseRead(of('ada', source)))).toBe(100);
    }
    expect(passed(20, () => sign(limits, of('ada'), true))).toBe(20);
  });
});

describe('checks that fail', () => {
  it('end what is checked for that credential from that address, and for nobody else', () => {
    const clock = { now: 0 };
    const limits = limitsAt(clock);
    for (let count = 0; count < 50; count++) limits.noteFailure(of('ada'));
    expect(limits.refuseAttempt(of('ada'))?.tooOftenForS).toBe(1);
    expect(limits.refuseFailing(of('ada'))?.tooOftenForS).toBe(1);
    for (const other of [
      of('ada', '192.0.2.8'),
      of('bob'),
      of(undefined),
      of('ada', SOURCE, true),
    ]) {
      expect(limits.refuseAttempt(other)).toBeUndefined();
    }
    clock.now = 1_000;
    expect(limits.refuseFailing(of('ada'))).toBeUndefined();
  });

  it('are forgiven where the check did not fail after all', () => {
    const limits = limitsAt({ now: 0 });
    for (let count = 0; count < 500; count++) {
      expect(limits.refuseFailing(of('ada'))).toBeUndefined();
      limits.noteFailure(of('ada'));
      limits.forgive(of('ada'));
    }
  });

  it('of strangers are bounded together, however many addresses they have', () => {
    const limits = limitsAt({ now: 0 });
    let turn = 0;
    const stranger = () => {
      const attempt = of(undefined, `2001:db8:${(turn += 1).toString(16)}:0`);
      const refusal = limits.refuseAttempt(attempt);
      if (refusal === undefined) limits.noteFailure(attempt);
      return refusal;
    };
    expect(passed(5_000, stranger)).toBe(100);
    expect(limits.refuseAttempt(of('ada'))).toBeUndefined();
    expect(limits.refuseAttempt(of('ada', SOURCE, true))).toBeUndefined();
  });
});

describe('a table of counts', () => {
  it('takes no more memory however many keys it is asked for', () => {
    const table = createBucketTable({ capacity: 1, perSecond: 1 }, () => 0, 100);
    for (let key = 0; key < 100_000; key++) table.row(String(key));
    expect(table.length).toBe(100);
    expect(table.find('0')).toBeUndefined();
    expect(table.find('99999')).toBeDefined();
  });
});

describe('a brake', () => {
  it.each([
    ['POST', '/v1/users/freeze', true],
    ['POST', '/v1/vaults/x/wallets/freeze', true],
    ['POST', '/v1/system/freeze', true],
    ['POST', '/v1/system/unfreeze', false],
    ['GET', '/v1/system/freeze', false],
    ['POST', '/v1/freeze/x', false],
  ])('is what freezes: %s %s', (method, path, expected) =>
    expect(isBrake(method, path)).toBe(expected),
  );
});
