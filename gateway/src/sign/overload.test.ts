/** Lanes under more than they can do, in virtual time. */
import { describe, expect, it } from '@jest/globals';
import { simulateLane } from '../../../test/support/simulated-lane.js';

const SECONDS = 30;

/** Two parts of each signature, on three threads. */
const capacity = (eachMs: number) => (3 * 1_000) / (2 * eachMs);

describe.each([5, 30, 100])('RSA signatures of %i ms a part', (eachMs) => {
  const peak = capacity(eachMs);
  const run = (rates: Readonly<Record<string, number>>) =>
    simulateLane({ lane: 'rsa', rates, eachMs, seconds: SECONDS });

  it('at twice capacity: at least 90 % of it, nothing computed twice, nobody waits two seconds', () => {
    const { goodput, oldestMs, abandoned } = run({ a: peak, b: peak });
    expect(goodput).toBeGreaterThan(0.9 * peak);
    expect(oldestMs).toBeLessThan(2_000);
    expect(abandoned).toBe(0);
  });

  it('and a caller who asks for little is refused nothing, whatever another one asks for', () => {
    const { byCaller } = run({ greedy: 4 * peak, modest: peak / 5 });
    const [greedy, modest] = [byCaller.get('greedy')!, byCaller.get('modest')!];
    expect(greedy.refused).toBeGreaterThan(peak);
    expect(modest.refused).toBe(0);
    expect(modest.inTime).toBeGreaterThan(0.95 * SECONDS * Math.floor(peak / 5));
    expect(modest.oldestMs).toBeLessThan(2_000);
  });
});

/** What a party takes for its part of a batch, and of each signature in it, where everything takes so many times as long. */
const slower = (times: number) => ({ batchMs: 5 * times, eachMs: 0.76 * times, warmUpS: 20 });
const CONNECTIONS = 256;

describe('a machine ten times slower', () => {
  const peak = simulateLane({ ...slower(10), connections: CONNECTIONS });

  it('closed loop of 256 on a slow machine: no refusal, and nobody waits two seconds', () => {
    expect(peak).toMatchObject({ refused: 0, late: 0, abandoned: 0 });
    expect(peak.goodput).toBeGreaterThan(CONNECTIONS / 2);
  });

  it('at twice what it can sign: at least 90 % of it, nothing computed twice', () => {
    const each = (2 * peak.goodput) / 8;
    const rates = Object.fromEntries(Array.from({ length: 8 }, (_, bot) => [`bot ${bot}`, each]));
    const { goodput, late, refused, abandoned } = simulateLane({ ...slower(10), rates });
    expect(goodput).toBeGreaterThan(0.9 * peak.goodput);
    expect(late).toBeLessThan(0.05 * SECONDS * goodput);
    expect(refused).toBeGreaterThan(0.9 * SECONDS * peak.goodput);
    expect(abandoned).toBe(0);
  });

  it('and a caller who asks for little is refused nothing, and waits for less than two seconds', () => {
    const rates = { greedy: 4 * peak.goodput, modest: peak.goodput / 5 };
    const modest = simulateLane({ ...slower(10), rates }).byCaller.get('modest')!;
    expect(modest).toMatchObject({ refused: 0, late: 0 });
  });
});

describe.each([1, 5])('a machine %i times slower', (times) => {
  it('signs as much at twice what it can sign, and nobody waits two seconds', () => {
    const load = { ...slower(times), seconds: 10 };
    const peak = simulateLane({ ...load, connections: CONNECTIONS });
    expect(peak).toMatchObject({ refused: 0, late: 0, abandoned: 0 });
    const over = simulateLane({ ...load, rates: { a: peak.goodput, b: peak.goodput } });
    expect(over).toMatchObject({ late: 0, abandoned: 0 });
    expect(over.goodput).toBeGreaterThan(0.9 * peak.goodput);
  });
});

it('where a machine cannot answer 256 in two seconds most of what it can sign comes in time', () => {
  const { goodput, late } = simulateLane({ ...slower(20), connections: CONNECTIONS });
  expect(goodput).toBeGreaterThan(50);
  expect(late).toBeLessThan(0.2 * SECONDS * goodput);
});

it('a party that dawdles, at half of what three can sign, costs next to nothing', () => {
  const load = { ...slower(1), rates: { a: 450, b: 450 }, dawdler: { party: 3, ms: 1_400 } };
  const { goodput, late } = simulateLane(load);
  expect(goodput).toBeGreaterThan(0.9 * 900);
  expect(late).toBe(0);
});

it('what nobody works on for three seconds is late, and soon after all is as before', () => {
  const steady = simulateLane({ ...slower(1), connections: CONNECTIONS });
  const { goodput, late } = simulateLane({
    ...slower(1),
    connections: CONNECTIONS,
    stallMs: 3_000,
  });
  expect(late).toBeLessThanOrEqual(CONNECTIONS);
  expect(goodput).toBeGreaterThan((0.75 * (SECONDS - 3) * steady.goodput) / SECONDS);
});

it('where the gateway itself falls behind, nobody waits two seconds, and who asks for little is let in', () => {
  const gatewayMs = { refused: 0.3, checked: 0.64, answered: 0.16 };
  const rates = { greedy: 1_900, modest: 100 };
  const { byCaller, late } = simulateLane({ ...slower(1), seconds: 10, rates, gatewayMs });
  expect(late).toBe(0);
  expect(byCaller.get('greedy')!.inTime).toBeGreaterThan(10 * 300);
  expect(byCaller.get('modest')).toMatchObject({ refused: 0, late: 0 });
});

describe.each([1, 5])(
  'twenty signatures in each request, on a machine %i times slower',
  (times) => {
    const load = { ...slower(times), warmUpS: 14, seconds: 10, itemsEach: 20 };
    const peak = simulateLane({ ...load, connections: 16 });

    it.each([64, 128])(
      '%i connections: as much is signed as for 16, and nothing late',
      (connections) => {
        const { goodput, late, abandoned } = simulateLane({ ...load, connections });
        expect({ late, abandoned }).toEqual({ late: 0, abandoned: 0 });
        expect(goodput).toBeGreaterThan(0.95 * peak.goodput);
      },
    );

    it('at twice what it can sign nobody waits two seconds, and most of it is signed', () => {
      const rates = Object.fromEntries(['a', 'b', 'c', 'd'].map((bot) => [bot, peak.goodput / 40]));
      const { goodput, late, abandoned } = simulateLane({ ...load, rates });
      expect({ late, abandoned }).toEqual({ late: 0, abandoned: 0 });
      expect(goodput).toBeGreaterThan(0.85 * peak.goodput);
    });
  },
);

it('64 connections of twenty signatures each wait in line, where the gateway is as busy as the parties', () => {
  const gatewayMs = { refused: 0.16, checked: 0.15, answered: 0.13 };
  const load = { ...slower(1), gatewayMs, connections: 64, itemsEach: 20, seconds: 10 };
  expect(simulateLane(load)).toMatchObject({ refused: 0, late: 0, abandoned: 0 });
});
