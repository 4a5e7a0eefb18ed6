/** What is said of a vault that grows rests on the model: it has to come to what can be reckoned by hand. */
import { describe, expect, it } from '@jest/globals';
import { modelVault, type MeasuredTimes } from './scale-model.js';
import { EventQueue, Station, WriteAheadLog } from './stations.js';

/** ms; of which nothing but the signing threads can be the bound. */
const TIMES: MeasuredTimes = {
  gatewayMain: 0.1,
  gatewayOther: 0.01,
  partyMain: 0.1,
  partyThreads: 2,
  redis: 0.01,
  postgres: 0.05,
  flush: 0.5,
};
/** A gateway has four batches under way at most: two keep three parties busy. */
const ONE = { gateways: 2, replicas: 1, threads: 1, postgresCores: 4 };

describe('signatures a second', () => {
  it('are what the busiest station can do, and it is named', () => {
    const { perSecond, utilisation, abandonedBatches } = modelVault(TIMES, ONE);
    // two parts of a millisecond on three threads
    expect(perSecond).toBeGreaterThan(0.9 * 1_500);
    expect(perSecond).toBeLessThanOrEqual(1.02 * 1_500);
    expect(utilisation[0]![0]).toBe('a party’s signing threads');
    expect(abandonedBatches).toBe(0);
  });

  it('grow with what is added, until something else is the bound', () => {
    const one = modelVault(TIMES, ONE);
    const four = modelVault(TIMES, { ...ONE, gateways: 8, replicas: 4 });
    expect(four.perSecond / one.perSecond).toBeGreaterThan(3.5);
    const bound = modelVault({ ...TIMES, redis: 1 }, { ...ONE, gateways: 2, replicas: 4 });
    expect(bound.utilisation[0]![0]).toBe('Redis');
    expect(bound.perSecond).toBeLessThanOrEqual(1.03 * 1_000);
  });
});

describe('virtual time', () => {
  it('has events in their order, those of one moment in the order in which they were made', () => {
    const queue = new EventQueue();
    const seen: string[] = [];
    for (const [at, name] of [
      [3, 'c'],
      [1, 'a'],
      [2, 'b1'],
      [2, 'b2'],
      [9, 'late'],
    ] as const) {
      queue.at(at, () => seen.push(`${name} ${queue.now}`));
    }
    queue.at(1, () => queue.at(1, () => seen.push('at once')));
    queue.run(5);
    expect(seen).toEqual(['a 1', 'at once', 'b1 2', 'b2 2', 'c 3']);
    expect(queue.now).toBe(5);
  });

  it('has work wait for the first free server, and large work on all of them', () => {
    const station = new Station('two', 2);
    expect([station.serve(0, 10), station.serve(0, 4), station.serve(1, 4)]).toEqual([10, 4, 8]);
    expect(station.share(20, 6)).toBe(23);
    expect(station.busyMs).toBe(24);
  });

  it('has commits that come during a flush go with the next one', () => {
    const log = new WriteAheadLog('log', 2);
    expect([log.commit(0), log.commit(0), log.commit(1), log.commit(1.5)]).toEqual([2, 2, 4, 4]);
    expect([log.commit(3), log.commit(10)]).toEqual([6, 12]);
    expect(log.busyMs).toBe(8);
  });
});
