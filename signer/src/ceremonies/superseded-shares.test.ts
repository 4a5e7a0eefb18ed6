import { describe, expect, it } from '@jest/globals';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { KeyOfSession } from '../records/share-cache.js';
import { createSupersededSweep } from './superseded-shares.js';

/** Keys with the session whose shares count. */
function stateOf(
  keys: Record<string, { status: string; session: string }>,
  waiting: string[] = [],
) {
  return {
    keys: { rows: new Map(Object.entries(keys).map(([id, key]) => [id, { id, ...key }])) },
    keysToRefresh: new Set(waiting),
  } as unknown as VaultState;
}

function openSweep(shares: readonly KeyOfSession[]) {
  let state = stateOf({});
  let rows = [...shares];
  const sweep = createSupersededSweep({
    state: () => state,
    store: {
      list: async () => rows,
      delete: async (gone) => {
        rows = rows.filter((row) => !gone.includes(row));
      },
    },
  });
  return {
    left: () => rows.map(({ session }) => session),
    sweepIn: (next: VaultState) => {
      state = next;
      return sweep();
    },
  };
}

const SHARES = ['old', 'new'].map((session) => ({ keyId: 'key', session }));
const active = { key: { status: 'active', session: 'new' } };

describe('shares that newer ones have taken the place of', () => {
  it('go when they are found so twice: a batch may rest on an earlier head', async () => {
    const { left, sweepIn } = openSweep(SHARES);
    await sweepIn(stateOf(active));
    expect(left()).toEqual(['old', 'new']);
    await sweepIn(stateOf(active));
    expect(left()).toEqual(['new']);
  });

  it.each([
    ['its shares are being made anew', stateOf(active, ['key'])],
    ['it is being made', stateOf({ key: { status: 'generating', session: '' } })],
    ['nobody knows it', stateOf({})],
  ])('stay while %s', async (_why, state) => {
    const { left, sweepIn } = openSweep(SHARES);
    for (let time = 0; time < 3; time++) await sweepIn(state);
    expect(left()).toEqual(['old', 'new']);
  });

  it('stay where the newer ones count no more the next time', async () => {
    const { left, sweepIn } = openSweep(SHARES);
    await sweepIn(stateOf(active));
    await sweepIn(stateOf(active, ['key']));
    await sweepIn(stateOf(active));
    expect(left()).toEqual(['old', 'new']);
  });
});
