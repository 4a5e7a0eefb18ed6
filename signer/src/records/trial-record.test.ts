import { describe, expect, it } from '@jest/globals';
import { createTrials } from './trial-record.js';

describe('a trial of writing', () => {
  it('is made once for all who ask in one second, and then anew', async () => {
    let [now, tries] = [0, 0];
    const findTrouble = createTrials(
      async () => {
        tries += 1;
        if (tries === 1) throw new Error('permission denied');
      },
      () => now,
    );
    expect(await Promise.all([findTrouble(), findTrouble()])).toEqual([
      'Error: permission denied',
      'Error: permission denied',
    ]);
    now = 999;
    expect(await findTrouble()).toBe('Error: permission denied');
    expect(tries).toBe(1);
    now = 1_000;
    expect(await findTrouble()).toBeUndefined();
    expect(tries).toBe(2);
    now = -60_000; // a clock that was set back
    await findTrouble();
    expect(tries).toBe(3);
  });
});
