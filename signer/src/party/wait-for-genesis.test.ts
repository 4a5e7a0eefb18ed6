import { describe, expect, it } from '@jest/globals';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { waitForGenesis } from './wait-for-genesis.js';

/** A ledger whose genesis comes during the wait of this number. */
async function linesUntilGenesis(wait: number): Promise<object[]> {
  const lines: object[] = [];
  let waits = 0;
  const follower: Pick<LedgerFollower, 'waitUntil'> = {
    async waitUntil(holds) {
      waits += 1;
      const state = { ...EMPTY_STATE, genesisHash: waits >= wait ? 'abcd' : '' };
      return holds(state, { state } as LedgerView);
    },
  };
  const logger = { info: (fields: object) => void lines.push(fields) } as unknown as Logger;
  await waitForGenesis(follower, logger);
  expect(waits).toBe(wait);
  return lines;
}

describe('waiting for the genesis', () => {
  it('ends with it, and says each half second that it waits', async () => {
    expect(await linesUntilGenesis(1)).toEqual([]);
    const waiting = { event: 'waiting_for_genesis' };
    expect(await linesUntilGenesis(3)).toEqual([waiting, waiting]);
  });
});
