import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { waitHealthy } from '../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import {
  countSigned,
  openLimitedWallet,
  signThroughBreaks,
  startSeconds,
  type LimitedWallet,
} from './support/limit-run.ts';
import { findReplica, findReplicas } from './support/attacker.ts';
import { NO_COUNT, openForgetfulLead } from './support/forgetful-lead.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { openTestRedis } from './support/restart-redis.ts';
import { deliver, type SignedRequest } from './support/signed-request.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  PATIENT,
  type TestVault,
} from './support/test-vault.ts';

let vault: TestVault;
let nodes: RestartableNodes;
let seconds: VaultProcess[] = [];

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'error' });
  nodes = restartableNodes(vault);
  seconds = await startSeconds(vault, [1, 2]);
}, 90_000);
afterAll(async () => {
  await Promise.all(seconds.map((replica) => replica.stop()));
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

it('a limit is used to the last, a retry counts once, and the refusal names the rule', async () => {
  const wallet = await openLimitedWallet(vault, 3);
  const requests = [1, 2, 3].map(() => wallet.newRequest());
  for (const request of requests) {
    expect((await deliver(vault.baseUrl, request, PATIENT)).status).toBe(200);
    // used before, and counted before
    expect((await deliver(vault.baseUrl, request, PATIENT)).status).toBe(401);
  }
  const refused = await deliver(vault.baseUrl, wallet.newRequest(), PATIENT);
  expect(refused.status).toBe(403);
  expect(refused.text).toMatch(
    /rule [0-9a-f-]{36} of signing policy [0-9a-f-]{36}, version \d+ \(.{1,80}\): velocity: 1 asked for, 3 \w+ allowed in \d+ s, at most \d+ left/,
  );
  const [, seconds] = /room in (\d+) s or later/.exec(refused.text) ?? [];
  if (seconds !== undefined) expect(refused.headers['retry-after']).toBe(seconds);
});

interface Waiting {
  request_id: string;
  status: string;
  phase?: string;
  digest: string;
}

it('what a limit leaves over waits for approval, through a Redis that forgets, and is signed once', async () => {
  const wallet = await openLimitedWallet(vault, 1);
  const approver = await vault.createMachine();
  const path = `/v1/signing-policies/${wallet.policyId}`;
  const { version, rules } = await expectOk<{ version: number; rules: object[] }>(
    vault.admin,
    'GET',
    path,
  );
  const asking = {
    display_name: 'beyond that after one approval',
    when: { operations: ['raw_sign'], initiators: { user_ids: [wallet.bot.id] } },
    then: { require_approvals: { quorum: 1, user_ids: [approver.id] } },
  };
  const body = { display_name: 'limited', version, rules: [...rules, asking] };
  await expectOk(vault.admin, 'PUT', path, body);
  expect((await deliver(vault.baseUrl, wallet.newRequest(), PATIENT)).status).toBe(200);
  const request = wallet.newRequest();
  const held = await deliver(vault.baseUrl, request, PATIENT);
  expect(held.status).toBe(202);
  expect(JSON.parse(held.text)).toMatchObject({ phase: 'awaiting_approval' });
  const redis = openTestRedis(vault.servers.redis.url);
  await redis.flushall();
  redis.disconnect();
  const target = `/v1/requests/${request.requestId}`;
  const { digest } = await expectOk<Waiting>(approver.client, 'GET', target);
  // a gateway whose Redis forgot takes none that is older than its noticing
  await eventually(async () => {
    const { status } = await approver.client.send({
      ...{ method: 'POST', target: `${target}/approve`, headers: {}, body: { digest } },
    });
    return status === 200;
  });
  await eventually(async () => {
    const { status } = await expectOk<Waiting>(wallet.bot.client, 'GET', target);
    return status === 'completed';
  });
  expect(await countSigned(vault, [request])).toBe(1);
}, 60_000);

it('a limit of zero allows nothing', async () => {
  const wallet = await openLimitedWallet(vault, 0);
  expect((await deliver(vault.baseUrl, wallet.newRequest(), PATIENT)).status).toBe(403);
});

it('a limit is never passed by many at one time, while a signer dies and Redis forgets', async () => {
  const LIMIT = 20;
  const wallet = await openLimitedWallet(vault, LIMIT);
  const requests = Array.from({ length: 80 }, () => wallet.newRequest());
  await signThroughBreaks(vault, nodes, requests);
  const signed = await countSigned(vault, requests);
  expect(signed).toBeLessThanOrEqual(LIMIT);
  expect(signed).toBeGreaterThan(0);
}, 60_000);

it('a party that keeps no count has at most twice a limit signed, however often and whomever it asks', async () => {
  const LIMIT = 3;
  const wallet = await openLimitedWallet(vault, LIMIT);
  const liar = await openForgetfulLead(vault, NO_COUNT);
  const redis = openTestRedis(vault.servers.redis.url);
  const [first, , third] = await findReplicas(redis);
  const partners = [first, third, await findReplica(redis, 1, 'b')];
  redis.disconnect();
  const signed = new Set<string>();
  for (let count = 0; count < 4 * LIMIT; count += 1) {
    const { evidence, requestId } = wallet.newRequest();
    const outcome = await liar.ask(partners[count % partners.length]!, { evidence });
    if (outcome?.outcome === 'signed') signed.add(requestId);
  }
  await liar.close();
  expect(signed.size).toBeLessThanOrEqual(2 * LIMIT);
  // by its own count each of the two honest ones had room: this is how far one liar stretches it
  expect(signed.size).toBeGreaterThan(LIMIT);
  expect((await deliver(vault.baseUrl, wallet.newRequest(), PATIENT)).status).toBe(403);
}, 60_000);

/** Asks one after the other until the limit has refused some; how many have a signature in the database. */
async function signUntilRefused(wallet: LimitedWallet): Promise<number> {
  const requests: SignedRequest[] = [];
  let refused = 0;
  while (refused < 2) {
    const request = wallet.newRequest();
    requests.push(request);
    // whose connections broke may not know what became of the first ones
    const { status } = await deliver(vault.baseUrl, request, { prefer: 'wait=10' });
    if (status === 403) refused += 1;
  }
  return countSigned(vault, requests);
}

it('a restored backup forgets what was signed since, and no process that lives on does', async () => {
  const LIMIT = 3;
  const PROCESSES = 5;
  const wallet = await openLimitedWallet(vault, LIMIT);
  const backup = await vault.servers.backUp();
  let total = 0;
  for (const _restored of [1, 2, 3]) {
    await waitHealthy(vault.baseUrl);
    total += await signUntilRefused(wallet);
    await backup.restore();
  }
  expect(total).toBeGreaterThanOrEqual(LIMIT);
  // each signature is counted by two processes, and each of them stays within the limit by its own count
  expect(total).toBeLessThanOrEqual((LIMIT * PROCESSES) / 2);
  // whoever begins anew with it knows what the backup knows
  await Promise.all(seconds.map((replica) => replica.stop()));
  await Promise.all(PARTY_NUMBERS.map((party) => nodes.killAndStart(party)));
  await nodes.untilAlive(PARTY_NUMBERS.length);
  expect(await signUntilRefused(wallet)).toBe(LIMIT);
}, 120_000);
