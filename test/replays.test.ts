import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { headOf, type BatchHead } from './support/attacker.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { runReplays } from './support/replay-run.ts';
import { openTestVault, type TestVault } from './support/test-vault.ts';
import { openVenueDesk, type VenueDesk } from './support/venue-desk.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let nodes: RestartableNodes;
let desk: VenueDesk;
let heads: BatchHead[];

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'error' });
  nodes = restartableNodes(vault);
  const older = await headOf(vault);
  desk = await openVenueDesk(vault);
  heads = [await headOf(vault), older];
}, 90_000);
afterAll(() => nodes?.stopAll().then(() => vault.close()), 60_000);

describe('captured requests', () => {
  it('have one message each, whatever is replayed while a party is killed, Redis flushed and the database rolled back', async () => {
    const figures = await runReplays(vault, desk, heads, {
      seed: 1,
      replays: 2_000,
      breaks: [
        { kind: 'rollback' },
        { kind: 'flush' },
        { kind: 'restart', run: () => nodes.killAndStart(1) },
        { kind: 'rollback' },
      ],
    });
    console.log(JSON.stringify(figures));
    // three replicas: no two pairs without a replica in common, so one message even of what was forgotten
    expect(figures.kept.signed).toBeLessThanOrEqual(1);
    expect(figures.forgotten).toEqual({ signed: 1, ofParty: 1, ofReplica: 1 });
    expect(figures.signed).toBeGreaterThan(20);
  });
});
