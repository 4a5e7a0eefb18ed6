import { describe, expect, it } from '@jest/globals';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import { waitForGenesis } from './wait-for-genesis.js';

/** A ledger whose genesis comes during the wait of this number. */
async function linesUntilGenesis(wait: number): Promise<object[]> {
  const lines: object[] = [];
  let waits = 0;
  const follower = {
    async waitUntil(holds: (state: VaultState) => boolean) {
      waits += 1;
      return holds({ ...EMPTY_STATE, genesisHash: waits >= wait ? 'abcd' : '' });
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
