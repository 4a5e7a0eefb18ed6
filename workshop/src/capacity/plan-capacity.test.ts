import { describe, expect, it } from '@jest/globals';
import { planCapacity, type SignatureCost } from './plan-capacity.js';

const COST: SignatureCost = {
  gateway: { all: 600, mainThread: 500 },
  party: { all: 600, mainThread: 300 },
  redis: 60,
  postgres: 240,
  walBytes: 4_500,
};

describe('a plan for a rate of signatures', () => {
  it('gives each tier what the rate costs, with two fifths to spare', () => {
    const plan = planCapacity(1_000, COST);
    expect(plan.gateways).toEqual({ processes: 1, cores: 1 });
    expect(plan.replicas).toEqual({ processes: 1, cores: 1 });
    expect(plan.redisCores).toBeCloseTo(0.1);
    expect(plan.postgresCores).toBeCloseTo(0.4);
    expect(plan.walMegabytes).toBeCloseTo(4.5);
    expect(plan.cells).toBe(1);
  });

  it('counts processes by their main thread, and cores by all that they do', () => {
    const { gateways, replicas } = planCapacity(10_000, COST);
    expect(gateways).toEqual({ processes: 9, cores: 10 });
    expect(replicas).toEqual({ processes: 5, cores: 10 });
  });

  it('has a second cell as soon as one core of Redis is planned to its end', () => {
    expect(planCapacity(10_000, COST)).toMatchObject({ cells: 1, bottleneck: 'redis' });
    expect(planCapacity(10_001, COST).cells).toBe(2);
  });

  it('has a second cell as soon as one disk of PostgreSQL is, where that is full first', () => {
    const wordy = { ...COST, walBytes: 24_000 };
    expect(planCapacity(5_000, wordy)).toMatchObject({ cells: 1, bottleneck: 'write-ahead log' });
    expect(planCapacity(5_001, wordy).cells).toBe(2);
  });
});
