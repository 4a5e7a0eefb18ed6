import { describe, expect, it } from '@jest/globals';
import { BucketTable } from './bucket-table.js';
import { createRateLimits, isBrake, type Attempt } from './rate-limits.js';

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

describe('a credential', () => {
  it('has its own rate, whatever address it comes from', () => {
    const limits = limitsAt({ now: 0 });
    let turn = 0;
    const many = () => limits.refuseAttempt(of('ada', `192.0.2.${(turn += 1) % 250}`));
    expect(passed(500, many)).toBe(100);
    expect(limits.refuseAttempt(of('bob'))).toBeUndefined();
  });

  it('that used up its rate still freezes', () => {
    const limits = limitsAt({ now: 0 });
    passed(500, () => limits.refuseAttempt(of('ada')));
    expect(passed(500, () => limits.refuseAttempt(of('ada', SOURCE, true)))).toBe(100);
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
    const table = new BucketTable({ capacity: 1, perSecond: 1 }, () => 0, 100);
    for (let key = 0; key < 100_000; key++) table.bucket(String(key));
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
