import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { createSigningWatch, type SigningWatch } from './signing-watch.js';

const SIGNED = {} as RecordedOutcome;
let clock: number;
let watch: SigningWatch;
beforeEach(() => {
  clock = 0;
  watch = createSigningWatch(() => clock);
});

function submit(): (outcome: RecordedOutcome | undefined) => Promise<void> {
  let resolve: (outcome: RecordedOutcome | undefined) => void = () => undefined;
  const outcome = new Promise<RecordedOutcome | undefined>((tell) => (resolve = tell));
  const followed = watch.follow(outcome);
  return async (ended) => {
    resolve(ended);
    await followed;
  };
}

describe('signing', () => {
  it('is alive while nothing is asked for, and while something ends', async () => {
    expect(watch.isAlive).toBe(true);
    const [first] = [submit(), submit()];
    clock = 9_999;
    expect(watch.isAlive).toBe(true);
    await first!(SIGNED);
    clock = 15_000;
    expect(watch.isAlive).toBe(true);
  });

  it('is not while what is under way comes to no end', () => {
    submit();
    clock = 10_000;
    expect(watch.isAlive).toBe(false);
  });

  it('is not after a request came to nothing, until one ends or a while is over', async () => {
    await submit()(undefined);
    expect(watch.isAlive).toBe(false);
    clock = 9_999;
    expect(watch.isAlive).toBe(false);
    clock = 10_000;
    expect(watch.isAlive).toBe(true);
    await submit()(undefined);
    await submit()(SIGNED);
    expect(watch.isAlive).toBe(true);
  });
});
