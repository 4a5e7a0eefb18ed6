/** A party's host is lost under load, with its keys and shares: another host takes its place, and signs. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { runSignerProgram } from '../support/signer-programs.ts';
import { query, shootMany, startLoad, statusesOf, stopLoads } from '../support/signing-load.ts';
import { eventually, expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';
import { createPartyKeys } from '../../signer/dist/secrets/create-party-keys.js';

jest.setTimeout(240_000);

const LOST = 3;

let vault: TestVault;
let nodes: RestartableNodes;
let bot: TestUser;
let wallet: TestWallet;
let newKeys: Awaited<ReturnType<typeof createPartyKeys>>;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 120_000);

afterEach(stopLoads);

afterAll(async () => {
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

const inHome = (name: string) => join(vault.prepared.home, name);
const place = () => ({ keys: inHome('new-host/keys'), pin: inHome('new-host/pin.json') });

interface Parties {
  readonly parties: { party: number; identity_public_key: string }[];
  readonly successor: { readonly confirmed_by: number[] } | null;
  readonly refresh: { readonly keys_left: number } | null;
}

const parties = async () =>
  (await expectOk(vault.admin, 'GET', '/v1/system/parties')) as unknown as Parties;

const confirm = (party: 1 | 2, keys = newKeys) =>
  runSignerProgram({
    ...{ vault, party, program: 'secrets/succession/confirm-successor' },
    args: [String(LOST), keys.identity_public_key, keys.exchange_public_key],
  });

const startSuccessor = () =>
  nodes.startParty(LOST, {
    ...vault.options,
    vault: { ...vault.prepared, keyDir: () => place().keys, pinFile: () => place().pin },
  });

const sharesOf = (party: number) =>
  query(vault.servers.ownerUrl, `SELECT key_id, session FROM party_${party}.key_share`);

describe('a party whose host is lost for good', () => {
  it('is asked to be replaced while the other two sign', async () => {
    const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 4, waitS: 30 });
    await load.untilSigned(20);
    nodes.party(LOST).kill('SIGKILL');
    await nodes.party(LOST).exited;
    newKeys = await createPartyKeys(place().keys, LOST);
    await expectOk(vault.admin, 'PUT', `/v1/system/parties/${LOST}`, newKeys);
    await load.untilSigned(20);
    expect(statusesOf(await load.stop())).toEqual([200]);
    expect((await parties()).successor?.confirmed_by).toEqual([]);
  });

  it('is replaced by nobody whose keys the other operators do not see', async () => {
    await expect(confirm(1, { ...newKeys, identity_public_key: 'A'.repeat(44) })).rejects.toThrow(
      'the ledger asks for other keys',
    );
    await expect(startSuccessor()).rejects.toThrow('run `remember` first');
  });

  it('is replaced once both have confirmed it, and signing never stops', async () => {
    const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 4, waitS: 30 });
    await load.untilSigned(10);
    expect(await confirm(1)).toMatchObject({ confirmed: LOST, by: 1 });
    await confirm(2);
    await eventually(async () => (await parties()).successor === null);
    // as if the new host had been put up five minutes after the old one was lost
    mkdirSync(inHome('new-host'), { recursive: true });
    writeFileSync(`${place().pin}.taken`, `${Date.now()}\n`);
    const begun = Date.now();
    await startSuccessor();
    await eventually(async () => (await parties()).refresh?.keys_left === 0);
    console.log(`new shares of all keys ${Date.now() - begun} ms after the new host was started`);
    await load.untilSigned(10);
    expect(statusesOf(await load.stop())).toEqual([200]);
  });

  it('signs on its new host, with either of the others, and makes keys again', async () => {
    await nodes.untilAlive(3);
    for (const away of [1, 2] as const) {
      await nodes.stopParties(away);
      await nodes.untilAlive(2);
      expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 5))).toEqual([200]);
      await nodes.startParty(away);
      await nodes.untilAlive(3);
    }
    const fresh = await vault.createWallet({ initiators: [bot.id] });
    expect(statusesOf(await shootMany(vault.baseUrl, bot, fresh, 2))).toEqual([200]);
  });

  it('can do nothing on its old host with all its secrets', async () => {
    await nodes.stopParties(LOST);
    await expect(nodes.startParty(LOST)).rejects.toThrow('party 3 was replaced');
    await startSuccessor();
    await nodes.untilAlive(3);
  });

  it('starts again with what it has pinned', async () => {
    await nodes.stopParties(LOST);
    await startSuccessor();
    await nodes.untilAlive(3);
    await nodes.stopParties(LOST);
    renameSync(place().pin, inHome('pin-aside.json'));
    await expect(startSuccessor()).rejects.toThrow('run `remember` first');
    renameSync(inHome('pin-aside.json'), place().pin);
    await startSuccessor();
    await nodes.untilAlive(3);
  });
});

describe('shares of all keys', () => {
  it('are made anew when officers ask, and signing goes on', async () => {
    const sessions = new Set((await sharesOf(1)).map(({ session }) => session));
    const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 4, waitS: 30 });
    await load.untilSigned(10);
    await expectOk(vault.admin, 'POST', '/v1/system/shares/refresh', { dealers: [1, 2] });
    await eventually(async () => (await parties()).refresh?.keys_left === 0);
    await load.untilSigned(10);
    expect(statusesOf(await load.stop())).toEqual([200]);
    const later = (await sharesOf(1)).filter(({ session }) => !sessions.has(session));
    expect(later.length).toBeGreaterThan(0);
  });
});
