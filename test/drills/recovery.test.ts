/** A party loses the disk of its primary replica, under load: what it must not do then, and how it comes back. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { runSignerProgram } from '../support/signer-programs.ts';
import { query, shootMany, startLoad, statusesOf, stopLoads } from '../support/signing-load.ts';
import { eventually, expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';

jest.setTimeout(180_000);

const LOST = 3;
const WINDOW_MS = 5 * 60_000;

let vault: TestVault;
let nodes: RestartableNodes;
let bot: TestUser;
let wallet: TestWallet;

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

interface Pin {
  readonly genesis_hash: string;
  readonly seq: number;
  readonly hash: string;
}

const pinFile = (party: number) => vault.prepared.pinFile(`party-${party}`);
const pinOf = (party: number) => JSON.parse(readFileSync(pinFile(party), 'utf8')) as Pin;
const marks = () =>
  readFileSync(`${pinFile(LOST)}.taken`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);

function loseDisk(): void {
  for (const suffix of ['', '.taken', '.requests', '.snapshot', '.alarms']) {
    rmSync(`${pinFile(LOST)}${suffix}`, { force: true });
  }
}

/** A pin file that says something else. */
function forgedPin(change: Partial<Pin>): string {
  const path = join(vault.prepared.home, 'forged-pin.json');
  writeFileSync(path, JSON.stringify({ ...pinOf(1), ...change }));
  return path;
}

/** A program of the signer, as the lost party's operator runs it. `behindMs`: as if so long ago. */
const run = (
  program: string,
  args: readonly string[],
  { behindMs = 0, ...change }: { behindMs?: number } & Record<string, string | number> = {},
) =>
  runSignerProgram({
    ...{ vault, party: LOST, program, args, behindMs },
    change: change as Record<string, string>,
  });

const remember = async (pins: readonly string[], behindMs = 0) =>
  (await run('recovery/remember', pins, { behindMs }))['ledger_head'] as Pick<Pin, 'seq' | 'hash'>;

const signs = async () => statusesOf(await shootMany(vault.baseUrl, bot, wallet, 20));

describe('a party whose pin file is lost', () => {
  it('does not start, however often, and the other two sign on without a refusal', async () => {
    const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 4, waitS: 30 });
    await load.untilSigned(20);
    nodes.party(LOST).kill('SIGKILL');
    await nodes.party(LOST).exited;
    loseDisk();
    for (let start = 0; start < 2; start++) {
      await expect(nodes.startParty(LOST)).rejects.toThrow('run `remember` first');
      expect(existsSync(pinFile(LOST))).toBe(false);
    }
    await load.untilSigned(20);
    expect(statusesOf(await load.stop())).toEqual([200]);
  });

  it('begins with no history but one that leads through every pin it is shown', async () => {
    const { seq } = pinOf(1);
    await expect(remember([pinFile(2), forgedPin({ hash: '0'.repeat(64) })])).rejects.toThrow(
      'does not contain entry',
    );
    await expect(remember([pinFile(2), forgedPin({ seq: seq + 1_000 })])).rejects.toThrow(
      'the ledger ends at entry',
    );
    const elsewhere = forgedPin({ genesis_hash: '0'.repeat(64) });
    await expect(remember([pinFile(2), elsewhere])).rejects.toThrow('another genesis');
    await expect(remember([])).rejects.toThrow('usage: remember');
    await expect(remember([elsewhere, '--trust-database'])).rejects.toThrow('usage: remember');
    expect(existsSync(pinFile(LOST))).toBe(false);
  });

  it('takes nothing that anybody can have asked it for before', async () => {
    const before = Date.now();
    const { seq, hash } = await remember([pinFile(1), pinFile(2)]);
    expect(pinOf(LOST)).toMatchObject({ seq, hash });
    expect(seq).toBeGreaterThanOrEqual(Math.min(pinOf(1).seq, pinOf(2).seq));
    const [taken, forgotten] = marks();
    expect(taken).toBeGreaterThanOrEqual(before + WINDOW_MS);
    expect(forgotten).toBe(taken);
    await expect(remember([pinFile(1)])).rejects.toThrow('nothing is to be done');
  });

  it('is back when those minutes are over, and signs', async () => {
    loseDisk();
    await remember([pinFile(1), pinFile(2)], WINDOW_MS);
    await nodes.startParty(LOST);
    await nodes.untilAlive(3);
    await nodes.stopParties(2);
    await nodes.untilAlive(2);
    expect(await signs()).toEqual([200]);
    await nodes.startParty(2);
    await nodes.untilAlive(3);
    // what it forgot stays forgotten
    const [taken, forgotten] = marks();
    expect(forgotten).toBeLessThan(taken!);
    await expectOk(vault.admin, 'POST', '/v1/vaults', { display_name: 'made by all three' });
    await eventually(() => pinOf(LOST).seq >= pinOf(1).seq);
  });
});

describe('a party whose host is lost, with its keys and its shares', () => {
  const backup = (command: string, args: readonly string[], change = {}) =>
    run('secrets/backup/backup', [command, ...args], change);
  const inHome = (name: string) => join(vault.prepared.home, name);
  const recoveryKeys = ['ada', 'ben', 'cy'].map((name) => `${name}.age`);
  const pins = ['--pin', 'PIN1', '--pin', 'PIN2'];
  const file = () => inHome('party-3.backup');
  let later: TestWallet;

  /** What the new host has: nothing yet. */
  const place = () => ({
    KEY_DIR: inHome('new-host/keys'),
    PIN_FILE: inHome('new-host/pin.json'),
    EVIDENCE_KEY_FILE: inHome('new-host/evidence.key'),
    KEK_FILE: inHome('new-host/elsewhere/kek.key'),
  });

  const restore = (people: readonly string[], change: Record<string, unknown> = {}) =>
    backup(
      'restore',
      [
        file(),
        ...people.flatMap((name) => ['--recovery-key', inHome(name)]),
        ...pins.map((word) =>
          word.replace(/^PIN(\d)$/, (_, party: string) => pinFile(Number(party))),
        ),
      ],
      { ...place(), ...change },
    );

  it('is backed up while it runs, for two of three people', async () => {
    const made = await Promise.all(
      recoveryKeys.map((name) => backup('recovery-key', [inHome(name)])),
    );
    const recipients = made.flatMap(({ recipient }) => ['--recipient', String(recipient)]);
    const told = await backup('make', [file(), ...recipients, '--threshold', '2']);
    expect(told).toMatchObject({ threshold: 2, recovery_keys: 3 });
    expect(told['shares']).toBeGreaterThan(0);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    // its share is in the database alone
    later = await vault.createWallet({ initiators: [bot.id] });
  });

  it('stays away while the other two sign', async () => {
    nodes.party(LOST).kill('SIGKILL');
    await nodes.party(LOST).exited;
    loseDisk();
    rmSync(vault.prepared.keyDir(LOST), { recursive: true });
    const gone = await query(
      vault.servers.ownerUrl,
      `DELETE FROM party_${LOST}.key_share WHERE created_at <
         (SELECT max(created_at) FROM party_${LOST}.key_share) RETURNING key_id`,
    );
    expect(gone.length).toBeGreaterThan(0);
    await nodes.untilAlive(2);
    expect(await signs()).toEqual([200]);
  });

  it('comes back by nobody alone, and not as another party', async () => {
    await expect(restore(['ada.age'])).rejects.toThrow('it takes 2 recovery keys of this backup');
    const as = { PARTY: '2', DATABASE_URL: vault.prepared.roleUrls.party_2 };
    await expect(restore(['ada.age', 'ben.age'], as)).rejects.toThrow(
      'this is a backup of party 3',
    );
    const taken = vault.prepared.keyDir(2);
    for (const there of [{ KEY_DIR: taken }, { KEK_FILE: join(taken, 'kek.key') }]) {
      await expect(restore(['ada.age', 'ben.age'], there)).rejects.toThrow(
        'nothing is written over',
      );
    }
    for (const path of Object.values(place())) expect(existsSync(path)).toBe(false);
  });

  it('comes back on a new host with what two people open, and signs', async () => {
    const told = await restore(['cy.age', 'ben.age'], { behindMs: WINDOW_MS });
    expect(told).toMatchObject({ keys_without_share: [] });
    expect(told['restored_shares']).toBeGreaterThan(0);
    const { KEY_DIR, KEK_FILE, PIN_FILE, EVIDENCE_KEY_FILE } = place();
    expect(readdirSync(KEY_DIR).toSorted()).toEqual(['exchange.sealed', 'identity.sealed']);
    await nodes.startParty(LOST, {
      ...vault.options,
      kekFile: KEK_FILE,
      vault: {
        ...vault.prepared,
        keyDir: () => KEY_DIR,
        pinFile: () => PIN_FILE,
        evidenceKeyFile: EVIDENCE_KEY_FILE,
      },
    });
    await nodes.untilAlive(3);
    await nodes.stopParties(1);
    await nodes.untilAlive(2);
    for (const one of [wallet, later]) {
      expect(statusesOf(await shootMany(vault.baseUrl, bot, one, 5))).toEqual([200]);
    }
    await nodes.startParty(1);
    await nodes.untilAlive(3);
    // all three make a key again
    const fresh = await vault.createWallet({ initiators: [bot.id] });
    expect(statusesOf(await shootMany(vault.baseUrl, bot, fresh, 2))).toEqual([200]);
  });
});
