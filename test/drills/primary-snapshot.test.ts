/** Parties that begin with what their folds had come to, asked by a hostile gateway: nobody before them says no. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import { openHostileGateway, type HostileGateway } from '../support/attacker.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { onConnection, query, shootMany, statusesOf } from '../support/signing-load.ts';
import { rawSignRequest } from '../support/signed-request.ts';
import { eventually, expectOk, openTestVault, PATIENT } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';

jest.setTimeout(240_000);

/** From one snapshot to the next. */
const EVERY_ROWS = 5_000;
/** Those before it that a party remembers, and reads again when it goes on from it. */
const KEPT_ROWS = 8_192;
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
  await onConnection(vault.servers.roleUrls.gateway, async (client) => {
    for (let done = 0; done < count; done += AT_ONCE) {
      await client.query(text, [Buffer.of(255), AT_ONCE]);
    }
  });
}

const freeze = ({ vaultId, address }: TestWallet) =>
  expectOk(
    vault.admin,
    'POST',
    `/v1/vaults/${vaultId}/wallets/freeze?addresses=${address}`,
    {},
    PATIENT,
  );

/** How far a party's snapshot reaches; 0 where it has none. */
function placeOf(party: PartyNumber): number {
  const path = `${vault.prepared.pinFile(`party-${party}`)}.snapshot`;
  if (!existsSync(path)) return 0;
  return Number(/"seq":(\d+)/.exec(readFileSync(path, 'latin1').slice(0, 1_000))?.[1] ?? 0);
}

async function restartParties(): Promise<void> {
  await nodes.stopParties(...PARTY_NUMBERS);
  await Promise.all(PARTY_NUMBERS.map((party) => nodes.startParty(party)));
  const parties = PARTY_NUMBERS.map((party) => nodes.party(party));
  await nodes.untilLogged(parties, '"ledger_resumed"');
  await nodes.untilAlive(PARTY_NUMBERS.length);
}

it('signs what it signed, and refuses what was frozen before its snapshot and after it', async () => {
  const open = () => vault.createWallet({ initiators: [bot.id] });
  const [free, before, after] = [await open(), await open(), await open()];
  await freeze(before);
  await appendRubbish(EVERY_ROWS + KEPT_ROWS + 512);
  // a snapshot is written when rows come, and not while something waits to be judged: so the ledger goes on
  await eventually(async () => {
    await appendRubbish(AT_ONCE);
    return PARTY_NUMBERS.every((party) => placeOf(party) > 0);
  }, PATIENCE_MS);
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

it('stops once it has read that the rows before its snapshot are others than those that it folded', async () => {
  await appendRubbish(KEPT_ROWS + EVERY_ROWS);
  await eventually(async () => placeOf(3) > KEPT_ROWS + EVERY_ROWS / 2, PATIENCE_MS);
  await nodes.stopParties(3);
  const { ownerUrl } = vault.servers;
  await query(ownerUrl, 'ALTER TABLE ledger_entry DISABLE TRIGGER USER');
  await query(
    ownerUrl,
    `UPDATE ledger_entry SET body = '\\xfe' WHERE seq = (SELECT min(seq) FROM ledger_entry WHERE body = '\\xff')`,
  );
  let log = '';
  const options = { ...vault.options, onOutput: (line: string) => void (log += line) };
  const starting = startSigner(options, 3).catch(() => undefined);
  await eventually(async () => log.includes('"ledger_fault"'), PATIENCE_MS);
  await (await starting)?.stop();
  expect(log).toContain('"ledger_resumed"');
});
