import { describe, expect, it } from '@jest/globals';
import type { OutcomeListener } from '@countersign/runtime/ledger/followed-fold.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { watchGovernance } from './governance-watch.js';

function openWatch(...waiting: number[]) {
  const world = { now: 0 };
  const viewOf = (seqs: number[]) =>
    ({ pending: seqs.map((seq) => ({ seq })) }) as unknown as LedgerView;
  let tell: OutcomeListener = () => undefined;
  const follower = {
    view: viewOf(waiting),
    onOutcomes: (listener: OutcomeListener) => void (tell = listener),
  };
  const watch = watchGovernance(follower, () => world.now);
  return { world, watch, show: (...seqs: number[]) => tell([], viewOf(seqs)) };
}

describe('the parties judge what is appended', () => {
  it('as long as nothing waits, however long', () => {
    const { world, watch } = openWatch();
    world.now = 1e9;
    expect(watch.isAlive).toBe(true);
  });

  it('no more, once one change has waited for ten seconds, also one that waited at the start', () => {
    for (const atStart of [true, false]) {
      const { world, watch, show } = openWatch(...(atStart ? [5] : []));
      if (!atStart) show(5);
      world.now = 9_999;
      show(5, 6);
      expect(watch.isAlive).toBe(true);
      world.now = 10_000;
      expect(watch.isAlive).toBe(false);
      show(6);
      expect(watch.isAlive).toBe(true);
      show();
      world.now = 1e9;
      expect(watch.isAlive).toBe(true);
    }
  });
});
