import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { createRefreshStatements } from './refresh-statements.js';

const key = (digit: string) => ({
  keyId: `${digit.repeat(8)}-0000-4000-8000-000000000000`,
  session: digit.repeat(32),
  transcriptHash: Buffer.alloc(32, digit),
});

function open(fails = false) {
  const told: (readonly [refresh: number, keys: number])[] = [];
  const failures: unknown[] = [];
  const statements = createRefreshStatements({
    party: 2,
    follower: {
      state: { genesisHash: 'ab'.repeat(32) } as VaultState,
      catchUp: async () => undefined as never,
    },
    ledger: {
      async append([body]) {
        if (fails) throw new Error('the database is away');
        const { content } = decodeEntryBody(body!);
        if (content.kind === 'refresh') {
          told.push([content.statement.refresh, content.statement.keys.length]);
        }
        return [];
      },
    },
    threads: { signIdentity: async () => [Buffer.alloc(64)] },
    now: () => 0,
    onFailure: (error) => failures.push(error),
  });
  return { statements, told, failures };
}

describe('statements about new shares', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('hold the keys of runs that end within a moment, and of one refresh', async () => {
    const { statements, told } = open();
    statements.add(1, key('1'));
    statements.add(1, key('2'));
    statements.add(2, key('3'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('that cannot be written are told of, and later ones go on', async () => {
    const { statements, failures } = open(true);
    for (const digit of ['1', '2']) {
      statements.add(1, key(digit));
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect(failures).toHaveLength(2);
  });

  it('are not made any more once they are stopped', async () => {
    const { statements, told } = open();
    statements.add(1, key('1'));
    statements.stop();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual([]);
  });
});
