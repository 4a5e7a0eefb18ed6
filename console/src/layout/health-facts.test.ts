import { describe, expect, it } from '@jest/globals';
import { getSystemOperationsOperation } from '@countersign/api/operations/system-operations.js';
import { healthFacts, newAlarmsIn } from './health-facts.js';

type Figures = Parameters<typeof healthFacts>[0];
const EXAMPLE = getSystemOperationsOperation.example.response as Figures;
const HEALTHY: Figures = { ...EXAMPLE, freezes: { ...EXAMPLE.freezes, total: 0 } };

const told = (change: Partial<Figures> = {}, alarms = 0) =>
  healthFacts({ ...HEALTHY, ...change }, alarms).map((fact) => Object.values(fact).join(' '));

function withDown(...down: number[]): Figures['parties'] {
  return EXAMPLE.parties.map((one) => ({ ...one, is_alive: !down.includes(one.party) }));
}

describe('the line on every page', () => {
  it('says how the vault is', () => {
    // each of three parties has a batch in its queue, and three requests wait for one
    expect(told()).toEqual([
      'Parties signing 3/3 good',
      'Queue 6 plain',
      'p99 41 ms plain',
      'Freezes 0 plain',
      'New alarms 0 plain',
    ]);
  });

  it.each<[string, Partial<Figures>]>([
    ['Parties signing 2/3 warn', { parties: withDown(2) }],
    ['Parties signing 1/3 bad', { parties: withDown(1, 2) }],
    ['Queue 5003 warn', { signing: { ...EXAMPLE.signing, waiting: 5_000 } }],
    ['p99 no requests plain', { signing: { ...EXAMPLE.signing, latency: null } }],
    [
      'p99 1.2 s warn',
      { signing: { ...EXAMPLE.signing, latency: { p50_ms: 1, p95_ms: 2, p99_ms: 1_200 } } },
    ],
    ['Freezes 2 warn', { freezes: { ...EXAMPLE.freezes, total: 2 } }],
  ])('says %s', (words, change) => {
    expect(told(change)).toContain(words);
  });

  it('counts alarms since somebody looked', () => {
    const at = '2026-11-22T12:00:00.000Z';
    const alarms = [{ at }, { at: '2026-11-22T11:00:00.000Z' }];
    expect(newAlarmsIn(alarms, 0)).toBe(2);
    expect(newAlarmsIn(alarms, Date.parse(at) - 1)).toBe(1);
    expect(newAlarmsIn(alarms, Date.parse(at))).toBe(0);
    expect(told({}, 2)).toContain('New alarms 2 bad');
  });
});
