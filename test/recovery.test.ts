/** A party loses the disk of its primary replica, under load: what it must not do then, and how it comes back. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { shootMany, startLoad, statusesOf, stopLoads } from './support/signing-load.ts';
import { eventually, expectOk, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(180_000);

const runFile = promisify(execFile);
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

/** As the party's operator runs it. `behindMs`: as if so long ago. */
async function remember(pins: readonly string[], behindMs = 0) {
  const clock = new URL('support/moving-clock.mjs', import.meta.url);
  clock.search = `?ahead=${-behindMs}`;
  const program = ['--import', clock.href, 'signer/bundle/recovery/remember.js', ...pins];
  const { stdout } = await runFile(process.execPath, program, {
    env: {
      DATABASE_URL: vault.prepared.roleUrls[`party_${LOST}`],
      GENESIS_FILE: vault.prepared.genesisFile,
      PIN_FILE: pinFile(LOST),
    },
  });
  return (JSON.parse(stdout) as { ledger_head: Pick<Pin, 'seq' | 'hash'> }).ledger_head;
}

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
    expect(existsSync(pinFile(LOST))).toBe(false);
  });

  it('takes nothing that anybody can have asked it for before', async () => {
    const before = Date.now();
    const { seq, hash } = await remember([pinFile(1), pinFile(2)]);
    const [newest] = [pinOf(1), pinOf(2)].toSorted((a, b) => b.seq - a.seq);
    expect({ seq, hash }).toEqual({ seq: newest!.seq, hash: newest!.hash });
    expect(pinOf(LOST)).toEqual(newest);
    const [taken, forgotten] = marks();
    expect(taken).toBeGreaterThanOrEqual(before + WINDOW_MS);
    expect(forgotten).toBe(taken);
    await expect(remember([pinFile(1)])).rejects.toThrow('nothing is to be done');
  });

  it('is back when those minutes are over: it signs with either of the others', async () => {
    loseDisk();
    await remember([pinFile(1), pinFile(2)], WINDOW_MS);
    await nodes.startParty(LOST);
    await nodes.untilAlive(3);
    for (const away of [1, 2] as const) {
      await nodes.stopParties(away);
      await nodes.untilAlive(2);
      expect(await signs()).toEqual([200]);
      await nodes.startParty(away);
      await nodes.untilAlive(3);
    }
    // what it forgot stays forgotten
    const [taken, forgotten] = marks();
    expect(forgotten).toBeLessThan(taken!);
    await expectOk(vault.admin, 'POST', '/v1/vaults', { display_name: 'made by all three' });
    await eventually(() => pinOf(LOST).seq >= pinOf(1).seq);
  });
});
