import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createNonceStore } from './nonce-store.js';

/** A database that answers what the test says. */
function storeOver(answers: { last?: string; rowCount?: number }[]) {
  const pool = {
    query: async () => {
      const { last = '0', rowCount = 1 } = answers.shift()!;
      return { rows: [{ last }], rowCount };
    },
  };
  return createNonceStore(pool as unknown as pg.Pool, 1);
}

describe('the numbers of a venue key', () => {
  it('are given in order, and never again when the database forgets them', async () => {
    const store = storeOver([{ last: '5' }, { last: '6' }, { last: '6' }]);
    expect(await Promise.all([store.take('k', 1n), store.take('k', 1n)])).toEqual([5n, 6n]);
    await expect(store.take('k', 1n)).rejects.toThrow('came twice');
  });

  it('are not accepted below one that was given, whatever the database says', async () => {
    const store = storeOver([{ last: '9' }, {}, {}, { rowCount: 0 }]);
    await store.take('k', 1n);
    expect(await store.accept('k', 9n)).toBe(false);
    expect(await store.accept('k', 10n)).toBe(true);
    expect(await store.accept('k', 11n)).toBe(false);
  });
});
