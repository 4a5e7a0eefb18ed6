import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import {
  CONTRIBUTION_LIFE_MS,
  createGivenContributions,
  type GivenContributions,
} from './given-contributions.js';
import { createReleaseGate, type ReleaseGate } from './release-gate.js';

const BATCH = '0b'.repeat(16);
const LEAD = startReplica(1, 'a');

let gate: ReleaseGate;
let given: GivenContributions;
beforeEach(() => {
  jest.useFakeTimers();
  gate = createReleaseGate();
  given = createGivenContributions();
});
afterEach(() => {
  given.stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('a contribution that was given', () => {
  it('is under way until its lead says that the batch is over', () => {
    given.add(BATCH, LEAD, gate.enter(7));
    expect(gate.oldest).toBe(7);
    given.finish(LEAD, BATCH);
    expect(gate.oldest).toBeUndefined();
  });

  it.each([
    ['another batch', LEAD, '0c'.repeat(16)],
    ['another party', startReplica(3, 'a'), BATCH],
    ['another replica of the lead', startReplica(1, 'b'), BATCH],
    ['the lead after a restart', startReplica(1, 'a'), BATCH],
  ])('is under way whatever is said of, or by, %s', (_what, from, batchId) => {
    given.add(BATCH, LEAD, gate.enter(7));
    given.finish(from, batchId);
    expect(gate.oldest).toBe(7);
  });

  it('is over by itself once no honest lead would take it, by either clock', () => {
    given.add(BATCH, LEAD, gate.enter(7));
    jest.advanceTimersByTime(3 * CONTRIBUTION_LIFE_MS - 1);
    expect(gate.oldest).toBe(7);
    jest.advanceTimersByTime(1);
    expect(gate.oldest).toBeUndefined();
  });

  it('is under way at its lead though a gateway gives the same batch to another one', () => {
    const other = startReplica(3, 'a');
    given.add(BATCH, LEAD, gate.enter(7));
    given.add(BATCH, other, gate.enter(9));
    expect(gate.oldest).toBe(7);
    given.finish(other, BATCH);
    expect(gate.oldest).toBe(7);
    given.finish(LEAD, BATCH);
    expect(gate.oldest).toBeUndefined();
  });

  it('is one of two where a gateway gives its lead the same batch twice: each is over for itself', () => {
    given.add(BATCH, LEAD, gate.enter(7));
    given.add(BATCH, LEAD, gate.enter(9));
    given.finish(LEAD, BATCH);
    expect(gate.oldest).toBe(9);
    given.finish(LEAD, BATCH);
    expect(gate.oldest).toBeUndefined();
  });

  it('that came after another one of its batch lives as long as if it were alone', () => {
    given.add(BATCH, LEAD, gate.enter(7));
    jest.advanceTimersByTime(CONTRIBUTION_LIFE_MS);
    given.add(BATCH, LEAD, gate.enter(9));
    jest.advanceTimersByTime(2 * CONTRIBUTION_LIFE_MS);
    expect(gate.oldest).toBe(9);
    jest.advanceTimersByTime(CONTRIBUTION_LIFE_MS);
    expect(gate.oldest).toBeUndefined();
  });

  it('is over when the process stops', () => {
    given.add(BATCH, LEAD, gate.enter(7));
    given.add(BATCH, LEAD, gate.enter(8));
    given.stop();
    expect(gate.oldest).toBeUndefined();
  });
});
