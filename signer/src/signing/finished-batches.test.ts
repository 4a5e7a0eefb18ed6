import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { MAX_FINISHED, type PartyMessage } from '../channel/messages.js';
import { createFinishedBatches, type FinishedBatches } from './finished-batches.js';

const [ONE, TWO] = [startReplica(1, 'a'), startReplica(2, 'a')];

let finished: FinishedBatches;
let told: [Replica, PartyMessage][];

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 10, 26) });
  told = [];
  finished = createFinishedBatches((to, message) => {
    told.push([to, message]);
    return Promise.reject(new Error('Redis is away'));
  }, Date.now);
});
afterEach(() => {
  finished.stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

const of = (batchIds: readonly string[]) => ({ kind: 'finished', batchIds });

describe('batches that are over', () => {
  it('are told to the partner of each, together, after a tenth of a second', () => {
    finished.add({ batchId: 'a', partner: ONE });
    jest.advanceTimersByTime(60);
    finished.add({ batchId: 'b', partner: TWO });
    finished.add({ batchId: 'c', partner: ONE });
    jest.advanceTimersByTime(39);
    expect(told).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(told).toEqual([
      [ONE, of(['a', 'c'])],
      [TWO, of(['b'])],
    ]);
    jest.advanceTimersByTime(1_000);
    expect(told).toHaveLength(2);
  });

  it('are told at once when the ledger changes, and for five seconds after that: it may be a freeze', () => {
    finished.add({ batchId: 'a', partner: ONE });
    finished.hurry();
    expect(told).toEqual([[ONE, of(['a'])]]);
    jest.advanceTimersByTime(4_999);
    finished.add({ batchId: 'b', partner: TWO });
    expect(told.at(-1)).toEqual([TWO, of(['b'])]);
    jest.advanceTimersByTime(1);
    finished.add({ batchId: 'c', partner: TWO });
    expect(told).toHaveLength(2);
  });

  it('are as many as a message takes', () => {
    const ids = Array.from({ length: MAX_FINISHED + 1 }, (_, at) => `${at}`);
    for (const batchId of ids) finished.add({ batchId, partner: ONE });
    expect(told).toEqual([[ONE, of(ids.slice(0, MAX_FINISHED))]]);
    finished.stop();
    expect(told.at(-1)).toEqual([ONE, of(ids.slice(MAX_FINISHED))]);
  });
});
