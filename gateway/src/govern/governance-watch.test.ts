import { describe, expect, it } from '@jest/globals';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
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
  const alarms: Alarm[] = [];
  const watch = watchGovernance(follower, () => world.now, {
    raise: (alarm) => void alarms.push(alarm),
  });
  return { world, watch, alarms, show: (...seqs: number[]) => tell([], viewOf(seqs)) };
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

  it('or an alarm is raised, once for each change that others wait behind', () => {
    const { world, watch, alarms, show } = openWatch(5);
    watch.look();
    expect(alarms).toEqual([]);
    world.now = 10_000;
    for (let i = 0; i < 3; i++) watch.look();
    const reason = 'entry 5 waits for two parties that judge it';
    expect(alarms).toEqual([{ kind: 'governance_stuck', reason }]);
    show(6);
    watch.look();
    world.now = 20_000;
    watch.look();
    expect(alarms).toHaveLength(2);
  });
});
