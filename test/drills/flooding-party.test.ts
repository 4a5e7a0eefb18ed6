/** One party floods the other two with its real keys: all that is asked for is signed, and nothing grows without end. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { openTestRedis } from '../support/restart-redis.ts';
import { openFloodingParty, type FloodingParty } from '../support/flood.ts';
import { checkShots, shootMany, statusesOf } from '../support/signing-load.ts';
import { openTestVault, type TestUser } from '../support/test-vault.ts';
import type { TestVault, TestWallet } from '../support/test-vault.ts';

/** As many small messages as once kept two parties from signing for minutes. */
const MESSAGES = 8_840;
const MAX_WAITING = 256;

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let flood: FloodingParty;

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  await vault.stack.signers[2]!.stop();
  flood = await openFloodingParty(vault);
}, 60_000);
afterAll(async () => {
  await flood?.close();
  await vault?.close();
}, 60_000);

/** How often a process raised an alarm about a party. */
function alarmsOf(output: string, event: string, party: number): number {
  const lines = output.split('\n').filter((line) => line.includes(`"event":"${event}"`));
  return lines.filter((line) => line.includes(`"party":${party}`)).length;
}

/** Jobs that wait, in the longest queue of any replica, invented ones too. */
async function longestQueue(): Promise<number> {
  const redis = openTestRedis(vault.servers.redis.url);
  try {
    const queues = await redis.keys('bull:countersign.sign.*:prioritized');
    const lengths = await Promise.all(queues.map((queue) => redis.zcard(queue)));
    return Math.max(0, ...lengths);
  } finally {
    redis.disconnect();
  }
}

it('while one party floods, the other two sign all that is asked, and name it', async () => {
  flood.begin({ perSecond: 2_000, atOnce: 20 });
  const shots = [];
  let count = await flood.count();
  while (count.messages < MESSAGES) {
    shots.push(...(await shootMany(vault.baseUrl, bot, wallet, 24)));
    expect(await longestQueue()).toBeLessThanOrEqual(MAX_WAITING);
    count = await flood.count();
  }
  await flood.end();
  // into batches that were under way, and not only beside them
  expect(count.underRealBatches).toBeGreaterThan(0);
  expect(statusesOf(shots)).toEqual([200]);
  const signatures = await checkShots(vault.servers.ownerUrl, bot.client, wallet, shots);
  expect(signatures).toBe(shots.length);

  const [first, second] = vault.stack.signers;
  for (const signer of [first!, second!]) {
    expect(signer.hasExited).toBe(false);
    // seldom enough to be read: once a minute of each kind, and of nobody else
    for (const event of ['party_floods', 'party_misbehaved']) {
      expect(PARTY_NUMBERS.map((party) => alarmsOf(signer.output(), event, party) > 0)).toEqual([
        false,
        false,
        true,
      ]);
      expect(alarmsOf(signer.output(), event, 3)).toBeLessThan(10);
    }
  }
}, 120_000);
