import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { replicaId, startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { openAgreeAhead } from './agree-ahead.js';

let others: Replica[];
let prepared: string[];
let isAway: boolean;

function open() {
  return openAgreeAhead({
    presence: {
      async findOthers() {
        if (isAway) throw new Error('no Redis');
        return others;
      },
    },
    channel: { prepare: (replica) => void prepared.push(replicaId(replica)) },
  });
}

beforeEach(() => {
  jest.useFakeTimers();
  others = [];
  prepared = [];
  isAway = false;
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('agreeing ahead', () => {
  it('is done with whoever is there, at once and whenever somebody comes', async () => {
    const [two, three] = [startReplica(2, 'a'), startReplica(3, 'a')];
    others = [two];
    const ahead = open();
    await jest.advanceTimersByTimeAsync(0);
    expect(prepared).toEqual([replicaId(two)]);
    others = [two, three];
    isAway = true;
    await jest.advanceTimersByTimeAsync(2_000);
    isAway = false;
    await jest.advanceTimersByTimeAsync(2_000);
    expect(prepared).toEqual([two, two, three].map(replicaId));
    ahead.stop();
  });

  it('asks of each party only so many, whatever Redis shows, and leaves no party out', async () => {
    others = Array.from({ length: 1_000 }, (_, index) => startReplica(2, `x-${index}`));
    others.push(startReplica(3, 'a'));
    const ahead = open();
    await jest.advanceTimersByTimeAsync(0);
    expect(prepared).toHaveLength(33);
    expect(prepared.at(-1)).toBe(replicaId(others.at(-1)!));
    ahead.stop();
  });
});
