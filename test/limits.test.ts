import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import {
  countSigned,
  openLimitedWallet,
  signThroughBreaks,
  startSeconds,
} from './support/limit-run.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { deliver } from './support/signed-request.ts';
import { openTestVault, PATIENT, type TestVault } from './support/test-vault.ts';

let vault: TestVault;
let nodes: RestartableNodes;
let seconds: VaultProcess[] = [];

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'error' });
  nodes = restartableNodes(vault);
  seconds = await startSeconds(vault);
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
    /rule [0-9a-f-]{36} of signing policy [0-9a-f-]{36}, version \d+: velocity/,
  );
});

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
