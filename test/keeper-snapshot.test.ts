/** Parties that begin with what their folds had come to, asked by a hostile gateway: nobody before them says no. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { openHostileGateway, type HostileGateway } from './support/attacker.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { query, shootMany, statusesOf } from './support/signing-load.ts';
import { rawSignRequest } from './support/signed-request.ts';
import { eventually, expectOk, openTestVault, PATIENT } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(240_000);

/** Rows until a place is taken for a snapshot, and until nothing can be asked about what lies before it. */
const ENOUGH_ROWS = 5_000 + 8_192 + 512;
const AT_ONCE = 64;
const PATIENCE_MS = 120_000;

let vault: TestVault;
let gateway: HostileGateway;
let bot: TestUser;
let nodes: RestartableNodes;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  gateway = await openHostileGateway(vault);
  bot = await vault.createMachine();
}, 120_000);

afterAll(async () => {
  await nodes?.stopAll();
  await gateway?.close();
  await vault?.close();
}, 60_000);

/** Rows that are nothing: each is folded, counted and refused. */
async function appendRubbish(count: number): Promise<void> {
  const text = 'SELECT FROM countersign_append(array_fill($1::bytea, ARRAY[$2::int]))';
  for (let done = 0; done < count; done += AT_ONCE) {
    await query(vault.servers.roleUrls.gateway, text, [Buffer.of(255), AT_ONCE]);
  }
}

const freeze = ({ vaultId, address }: TestWallet) =>
  expectOk(
    vault.admin,
    'POST',
    `/v1/vaults/${vaultId}/wallets/freeze?addresses=${address}`,
    {},
    PATIENT,
  );

const haveSnapshots = () =>
  PARTY_NUMBERS.every((party) =>
    existsSync(`${vault.prepared.pinFile(`party-${party}`)}.snapshot`),
  );

async function restartParties(): Promise<void> {
  await nodes.stopParties(...PARTY_NUMBERS);
  await Promise.all(PARTY_NUMBERS.map((party) => nodes.startParty(party)));
  const parties = PARTY_NUMBERS.map((party) => nodes.party(party));
  await nodes.untilLogged(parties, '"ledger_resumed"');
}

it('signs what it signed, and refuses what was frozen before its snapshot and after it', async () => {
  const open = () => vault.createWallet({ initiators: [bot.id] });
  const [free, before, after] = [await open(), await open(), await open()];
  await freeze(before);
  await appendRubbish(ENOUGH_ROWS);
  await eventually(async () => haveSnapshots(), PATIENCE_MS);
  await freeze(after);
  await restartParties();

  const ask = () =>
    [free, before, after].map(({ path }) => rawSignRequest(bot.credential, path, randomBytes(32)));
  const outcomes = await gateway.ask(ask);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['signed', 'denied', 'denied']);
  for (const outcome of outcomes.slice(1)) {
    expect(outcome).toMatchObject({ reason: expect.stringContaining('frozen') });
  }
  expect(statusesOf(await shootMany(vault.baseUrl, bot, free, 6))).toEqual([200]);
});
