import { describe, expect, test } from '@jest/globals';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type pg from 'pg';
import { createUnusedCheck } from './unused-vault.js';

function check(
  kinds: readonly EntryOutcome['kind'][],
  { used = false, late = [] as EntryOutcome['kind'][] } = {},
) {
  const entries = kinds.map(entryOf);
  const asked: string[] = [];
  const pool = {
    async query(text: string) {
      asked.push(text);
      return { rows: [{ used }] };
    },
  };
  const isUnused = createUnusedCheck({
    follower: { catchUp: async () => void entries.push(...late.map(entryOf)) },
    journal: { entries },
    pool: pool as unknown as Pick<pg.Pool, 'query'>,
  });
  return { isUnused, asked };
}

function entryOf(kind: EntryOutcome['kind']): EntryOutcome {
  return { kind } as EntryOutcome;
}

describe('a vault', () => {
  test('is unused before its genesis, and while only its parties have spoken', async () => {
    expect(await check([]).isUnused()).toBe(true);
    const { isUnused, asked } = check(['genesis', 'evidence-key', 'recipient']);
    expect(await isUnused()).toBe(true);
    for (const table of ['refused_request', 'signing_request', 'request_result']) {
      expect(asked[0]).toContain(`EXISTS (SELECT FROM ${table})`);
    }
  });

  test('is used once a caller has an entry in the ledger, also one that was refused', async () => {
    expect(await check(['genesis', 'evidence']).isUnused()).toBe(false);
  });

  test('is used by what another gateway has just written', async () => {
    expect(await check(['genesis'], { late: ['evidence'] }).isUnused()).toBe(false);
  });

  test('is used once a request has a record', async () => {
    expect(await check(['genesis'], { used: true }).isUnused()).toBe(false);
  });

  test('is not called unused when a store does not answer', async () => {
    const down = async () => Promise.reject(new Error('down'));
    const isUnused = createUnusedCheck({
      follower: { catchUp: down },
      journal: { entries: [] },
      pool: { query: down } as unknown as Pick<pg.Pool, 'query'>,
    });
    await expect(isUnused()).rejects.toThrow('down');
  });
});
