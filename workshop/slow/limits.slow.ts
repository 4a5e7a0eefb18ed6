/**
 * A thousand requests at one time against one limit, again and again, with two replicas of each party, while a signer
 * is killed and Redis flushed. `ROUNDS` sets how often, `REQUESTS` how many.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import {
  countSigned,
  openLimitedWallet,
  signThroughBreaks,
  startSeconds,
} from '../../test/support/limit-run.ts';
import { restartableNodes, type RestartableNodes } from '../../test/support/restartable-nodes.ts';
import { openTestVault, type TestVault } from '../../test/support/test-vault.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const REQUESTS = Number(process.env['REQUESTS'] ?? 1_000);
const LIMIT = REQUESTS / 10;
const TIMEOUT_MS = 4 * 3_600_000;

let vault: TestVault;
let nodes: RestartableNodes;
let seconds: VaultProcess[] = [];

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'error' });
  nodes = restartableNodes(vault);
  seconds = await startSeconds(vault, PARTY_NUMBERS);
}, 90_000);
afterAll(async () => {
  await Promise.all(seconds.map((replica) => replica.stop()));
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

test(
  `${REQUESTS} at one time never pass a limit of ${LIMIT}`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const wallet = await openLimitedWallet(vault, LIMIT);
      const requests = Array.from({ length: REQUESTS }, () => wallet.newRequest());
      await signThroughBreaks(vault, nodes, requests);
      const signed = await countSigned(vault, requests);
      process.stderr.write(`${new Date().toISOString()} ${signed} of ${REQUESTS} signed\n`);
      expect(signed).toBeLessThanOrEqual(LIMIT);
      expect(signed).toBeGreaterThan(0);
    }
  },
  TIMEOUT_MS,
);
