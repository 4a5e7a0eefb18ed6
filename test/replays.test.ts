import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { findReplicas, headOf, type BatchHead } from './support/attacker.ts';
import { openForgetfulLead, type ForgetfulLead } from './support/forgetful-lead.ts';
import { openGivenMessages } from './support/given-messages.ts';
import { openTestRedis } from './support/restart-redis.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
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
    // three replicas: no two pairs without a replica in common, so one message even of what was forgotten
    expect(figures.kept).toEqual({ signed: 1, ofParty: 1, ofReplica: 1 });
    expect(figures.forgotten).toEqual({ signed: 1, ofParty: 1, ofReplica: 1 });
    expect(figures.signed).toBeGreaterThan(20);
  });
});

describe('a party that leads, remembers nothing and asks again and again for one authorised order', () => {
  let liar: ForgetfulLead;
  let honest: Replica[];

  beforeAll(async () => {
    liar = await openForgetfulLead(vault);
    const redis = openTestRedis(vault.servers.redis.url);
    const [first, , third] = await findReplicas(redis);
    redis.disconnect();
    honest = [first, third];
  });
  afterAll(() => liar?.close());

  /** The messages of the signatures that it comes to with each honest partner, whatever arrival it names. */
  async function ask(tries: number, before?: () => Promise<void>): Promise<Set<string>[]> {
    const { evidence } = desk.order();
    const now = Date.now();
    const signed = honest.map(() => new Set<string>());
    for (let count = 0; count < tries; count += 1) {
      const which = count % honest.length;
      await before?.();
      const item = { evidence, receivedAt: now - 137 * count };
      const outcome = await liar.ask(honest[which]!, item);
      if (outcome?.outcome === 'signed') signed[which]!.add(outcome.receipt.messageSha256);
    }
    return signed;
  }

  it('has one message of each honest partner', async () => {
    const signed = await ask(25);
    expect(signed.map(({ size }) => size)).toEqual([1, 1]);
  });

  it('has no more with the gateway and the owner of a database that forgets', async () => {
    const rows = await openGivenMessages(vault.servers.ownerUrl, () => true);
    const signed = await ask(30, rows.rollBack);
    await rows.close();
    expect(signed.map(({ size }) => size)).toEqual([1, 1]);
  });
});
