import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Evidence } from '@countersign/core/evidence.js';
import pg from 'pg';
import { removeOldRequests } from '../infra/admin/dist/database/remove-old-requests.js';
import { call, expectRefusal } from './support/api.ts';
import { openApprovedDesk } from './support/approved-desk.ts';
import { findReplicas, headOf, type BatchHead } from './support/attacker.ts';
import { openForgetfulLead, type ForgetfulLead } from './support/forgetful-lead.ts';
import { openGivenMessages } from './support/given-messages.ts';
import { openPricedParties } from './support/priced-parties.ts';
import { openTestRedis } from './support/restart-redis.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { runReplays } from './support/replay-run.ts';
import { deliver } from './support/signed-request.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  PATIENT,
  type TestVault,
} from './support/test-vault.ts';
import { openVenueDesk, type VenueDesk } from './support/venue-desk.ts';
import { drill } from './support/drills.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let nodes: RestartableNodes;
let desk: VenueDesk;
let heads: BatchHead[];
let liar: ForgetfulLead;

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'error' });
  nodes = restartableNodes(vault);
  const older = await headOf(vault);
  desk = await openVenueDesk(vault);
  heads = [await headOf(vault), older];
  liar = await openForgetfulLead(vault);
}, 90_000);
afterAll(async () => {
  await liar?.close();
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

describe('captured requests', () => {
  it('have one message each, whatever is replayed while a party is killed, Redis flushed and the database rolled back', async () => {
    const figures = await runReplays(vault, desk, heads, {
      seed: 1,
      replays: 1_000,
      signed: 21,
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

/**
 * The messages of the signatures that the liar comes to with each honest partner, whatever arrival it names. `before`: each
 * try.
 */
async function messagesOf(
  evidence: Evidence,
  tries: number,
  before?: () => Promise<void>,
): Promise<Set<string>[]> {
  const redis = openTestRedis(vault.servers.redis.url);
  const [first, , third] = await findReplicas(redis);
  redis.disconnect();
  const honest = [first, third];
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

describe('a party that leads, remembers nothing and asks again and again for one authorised order', () => {
  it('has one message of each honest partner', async () => {
    const signed = await messagesOf(desk.order().evidence, 25);
    expect(signed.map(({ size }) => size)).toEqual([1, 1]);
  });

  it('has no more with the gateway and the owner of a database that forgets', async () => {
    const rows = await openGivenMessages(vault.servers.ownerUrl, () => true);
    const signed = await messagesOf(desk.order().evidence, 30, rows.rollBack);
    await rows.close();
    expect(signed.map(({ size }) => size)).toEqual([1, 1]);
  });
});

describe('an order that waits for approval', () => {
  drill(
    'has one message of each party, whatever the database forgets while it is held and after its release',
    async () => {
      const { approver, order } = await openApprovedDesk(vault);
      let request = order();
      const rows = await openGivenMessages(
        vault.servers.ownerUrl,
        (id) => id === request.requestId,
      );
      let answer = await deliver(vault.baseUrl, request);
      // a store that is slow for a moment is 504: whoever asks again signs anew
      for (let tries = 1; answer.status === 504 && tries < 5; tries += 1) {
        request = order();
        answer = await deliver(vault.baseUrl, request);
      }
      expect(answer).toMatchObject({ status: 202 });
      const { evidence, requestId } = request;
      expect(await messagesOf(evidence, 2)).toEqual([new Set(), new Set()]);
      await rows.rollBack();
      const target = `/v1/requests/${requestId}`;
      const { digest } = await expectOk<{ digest: string }>(approver.client, 'GET', target);
      await expectOk(approver.client, 'POST', `${target}/approve`, { digest });
      const before = await messagesOf(evidence, 4, rows.rollBack);
      await nodes.killAndStart(1);
      const again = await messagesOf(evidence, 10, rows.rollBack);
      const all = before.map((messages, index) => new Set([...messages, ...again[index]!]));
      expect(all.map(({ size }) => size)).toEqual([1, 1]);
      await expectRefusal('resource_conflict', approver.client, 'POST', `${target}/approve`, {
        digest,
      });
      expect((await deliver(vault.baseUrl, request)).status).toBe(401);
      await rows.readRows();
      expect(rows.most().forgotten).toMatchObject({ ofParty: 1, ofReplica: 1 });
      await rows.close();
    },
  );
});

describe('what is old and was taken away', () => {
  const NOTHING = {
    signing_request: 0,
    request_result: 0,
    promised_request: 0,
    idempotency_key: 0,
    batch_evidence: 0,
  };
  /** Audit records of the parties. */
  async function countEntries(requestId: string): Promise<number> {
    const client = new pg.Client({ connectionString: vault.servers.ownerUrl });
    await client.connect();
    const of = [1, 2, 3].map((party) => `SELECT request_id FROM party_${party}.sign_record`);
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM (${of.join(' UNION ALL ')}) AS records WHERE request_id = $1`,
      [requestId],
    );
    await client.end();
    return Number(rows[0]!.count);
  }
  const DAYS = 31;
  /** When all that was asked for by now, and what expires soon, is so old. */
  const later = () => Date.now() + DAYS * 86_400_000 + 3_600_000;

  it('was there, is gone from results and accepted requests alone, and is signed as before or not at all', async () => {
    const url = vault.servers.ownerUrl;
    const request = desk.order();
    const waitless = desk.order();
    const asked = { 'idempotency-key': randomUUID() };
    const first = await deliver(vault.baseUrl, request, { ...PATIENT, ...asked });
    expect([first.status, first.text]).toEqual([200, expect.anything()]);
    expect((await deliver(vault.baseUrl, waitless, { prefer: 'wait=0' })).status).toBe(202);
    const read = (path: string) => call(vault.admin, 'GET', path);
    const target = `/v1/requests/${waitless.requestId}`;
    await eventually(
      async () =>
        (await expectOk<{ status: string }>(vault.admin, 'GET', target)).status === 'completed',
    );
    const entries = await countEntries(request.requestId);

    const now = { olderThanDays: DAYS, dryRun: false, now: Date.now() };
    expect(await removeOldRequests(url, now)).toEqual(NOTHING);
    const counted = await removeOldRequests(url, { ...now, dryRun: true, now: later() });
    expect(counted.request_result).toBeGreaterThanOrEqual(2);
    expect(await removeOldRequests(url, { ...now, now: later() })).toEqual(counted);
    expect(counted).toMatchObject({ signing_request: expect.any(Number), idempotency_key: 1 });
    expect((await read(target)).status).toBe(404);
    expect(await countEntries(request.requestId)).toBe(entries);

    const rows = await openGivenMessages(url, (id) => id === request.requestId);
    const signed = await messagesOf(request.evidence, 6);
    expect(signed.map(({ size }) => size)).toEqual([1, 1]);
    await rows.readRows();
    expect(rows.most().kept).toMatchObject({ ofParty: 1, ofReplica: 1 });
    await rows.close();
  });

  it('goes by the owner who says so alone', async () => {
    const rights = async (url: string, before = '') => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const said = await client
        .query(`${before} DELETE FROM request_result`)
        .catch((error: Error) => error.message);
      await client.end();
      return said;
    };
    const { gateway, party_1: party } = vault.prepared.roleUrls;
    const setting = "SET countersign.retention = 'on';";
    expect(await rights(vault.servers.ownerUrl)).toBe('request_result is append-only');
    expect(await rights(gateway, setting)).toMatch('permission denied');
    expect(await rights(party, setting)).toMatch('permission denied');
  });
});

describe('parties that start again', () => {
  drill(
    'sign nothing by a price from before the newest that they went by, and go on with that',
    async () => {
      const parties = await openPricedParties(vault, nodes, '50000');
      const now = Date.now();
      await parties.show('100000', now);
      await parties.killAndStart();
      await eventually(async () => (await parties.order('0.4')) === 200);
      expect(await parties.order('0.6')).toBe(403);
      await parties.show('1', now - 1);
      await parties.killAndStart();
      expect(await parties.order('0.6')).toBe(403);
      await parties.show('100000', now);
      await eventually(async () => (await parties.order('0.4')) === 200);
      expect(await parties.order('0.6')).toBe(403);
      parties.close();
    },
  );
});
