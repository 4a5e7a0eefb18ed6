/**
 * A party's database stands still for seconds under a steady stream of requests: commits are not answered, or their
 * connections break. When it goes on, every replica signs again without a restart, and no record is lost or told twice.
 */
import { verify } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { StackOptions } from '../infra/dev/dist/stack/open-stack.js';
import { openHeldCommits, type HeldCommits } from './support/held-commits.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import {
  finalRecord,
  openSslKey,
  query,
  shootMany,
  startLoad,
  statusesOf,
  stopLoads,
  type Shot,
} from './support/signing-load.ts';
import { openTcpProxy, type TcpProxy } from './support/tcp-proxy.ts';
import { eventually, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';
import { drill } from './support/drills.ts';

jest.setTimeout(240_000);

/** Longer than a party waits for a commit, and than it holds its lease. */
const STALL_MS = 7_000;
const RUN_UP = 40;

let vault: TestVault;
let nodes: RestartableNodes;
let bot: TestUser;
let wallet: TestWallet;
let commits: HeldCommits;
/** Between party 1 and its database. */
let proxy: TcpProxy;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  commits = await openHeldCommits(vault.servers.ownerUrl);
  const { roleUrls } = vault.prepared;
  proxy = await openTcpProxy(roleUrls.party_1);
  const urls = { ...roleUrls, party_1: proxy.url };
  const options: StackOptions = {
    ...vault.options,
    vault: { ...vault.prepared, roleUrls: urls },
  };
  await nodes.stopParties(1);
  await nodes.startParty(1, options);
  await nodes.untilAlive(PARTY_NUMBERS.length);
}, 120_000);

afterEach(stopLoads);

afterAll(async () => {
  await nodes?.stopAll();
  await commits?.close();
  await proxy?.close();
  await vault?.close();
}, 60_000);

interface Chain {
  readonly chain: string;
  readonly last: number;
  readonly count: number;
}

/** The records of every process that has written some: `party_1-a-<boot>`. */
async function readChains(): Promise<Chain[]> {
  const selects = PARTY_NUMBERS.map(
    (party) =>
      `SELECT chain_id AS chain, max(seq)::int AS last, count(*)::int AS count
       FROM party_${party}.sign_record GROUP BY chain_id`,
  );
  return query<Chain>(vault.servers.ownerUrl, selects.join(' UNION ALL '));
}

const REPLICAS = PARTY_NUMBERS.map((party) => `party_${party}-a-`);

/** The chain that each of these replicas writes now: the one that grew. */
async function untilAllWrite(names: readonly string[]): Promise<void> {
  const before = new Map((await readChains()).map(({ chain, last }) => [chain, last]));
  await eventually(async () => {
    const grown = (await readChains()).filter(({ chain, last }) => last > (before.get(chain) ?? 0));
    return names.every((name) => grown.some(({ chain }) => chain.startsWith(name)));
  }, 60_000);
}

async function stallUnderLoad(
  stall: () => void | Promise<void>,
  end: () => void | Promise<void>,
): Promise<void> {
  const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 8, waitS: 30 });
  await load.untilSigned(RUN_UP);
  await untilAllWrite(REPLICAS);
  await stall();
  await setTimeout(STALL_MS);
  await end();
  await untilAllWrite(REPLICAS);
  const shots = await load.stop();
  await checkAnswers(shots);
  for (const { last, count } of await readChains()) expect(count).toBe(last);
  expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 10))).toEqual([200]);
  for (const party of PARTY_NUMBERS) expect(nodes.party(party).hasExited).toBe(false);
}

/**
 * What was answered verifies, what is undecided ends, and each request has one message. Two leads may record it: a
 * commit in doubt stands after all, while another pair was asked for the same.
 */
async function checkAnswers(shots: readonly Shot[]): Promise<void> {
  const publicKey = openSslKey(wallet.publicKey);
  for (const { status, signature, message, signed } of shots) {
    if (status === 202) await finalRecord(bot.client, signed.requestId);
    if (signature === undefined) continue;
    expect(verify(null, message, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
  }
  const records = PARTY_NUMBERS.map(
    (party) => `SELECT request_id, message_sha256 FROM party_${party}.sign_record`,
  );
  const twice = await query(
    vault.servers.ownerUrl,
    `SELECT request_id FROM (${records.join(' UNION ALL ')}) AS record
     GROUP BY request_id HAVING count(DISTINCT message_sha256) > 1`,
  );
  expect(twice).toEqual([]);
}

describe('after a database that stood still for seven seconds, every replica signs again', () => {
  it('when the commits of all parties are not answered, and come to stand all the same', async () => {
    await stallUnderLoad(commits.hold, commits.letGo);
  });

  drill(
    'when one party hears nothing of its database, and its connections break then',
    async () => {
      await stallUnderLoad(proxy.silence, proxy.heal);
    },
  );

  it('and says so meanwhile: the party cannot record, and has an alarm', async () => {
    const party: PartyNumber = 1;
    proxy.silence();
    const check = `party_${party}` as const;
    await eventually(async () => {
      const response = await fetch(`${vault.baseUrl}/health`);
      const { checks } = (await response.json()) as { checks: { signers: Record<string, string> } };
      return checks.signers[check] === 'cannot_record';
    });
    proxy.heal();
    await nodes.untilAlive(PARTY_NUMBERS.length);
    await eventually(async () => {
      const { body } = await vault.admin.get('/v1/alarms?kind=records_unwritable');
      return (body as { results: { accuser: string }[] }).results.some(
        ({ accuser }) => accuser === check,
      );
    });
  });
});
