/**
 * The disk under a pin file is full. A node that cannot write down what it relies on relies on nothing new; it obeys
 * freezes all the same, says what is wrong, and goes on by itself when there is room again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import type { PreparedVault } from '../infra/dev/dist/stack/prepare-vault.js';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { finalRecord, shoot, shootMany, statusesOf } from './support/signing-load.ts';
import { runWhere } from './support/run-where.ts';
import { canMount, openSmallDisk, type SmallDisk } from './support/small-disk.ts';
import { readStoredLedger } from './support/stored-ledger.ts';
import { eventually, expectOk, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';
import { drill } from './support/drills.ts';

jest.setTimeout(180_000);

const MAY = canMount();
const describeIfMay = runWhere(describe, MAY, 'no file system may be mounted here');

let vault: TestVault;
let nodes: RestartableNodes;
let bot: TestUser;
let wallet: TestWallet;
let disks: Record<DiskName, SmallDisk> | undefined;

type DiskName = 'gateway' | 'one' | 'others';
const DISK_OF: Readonly<Record<string, DiskName>> = {
  gateway: 'gateway',
  'party-1': 'one',
  'party-2': 'others',
  'party-3': 'others',
};
const disk = (name: DiskName) => disks![name];
const allDisks = () => Object.values(disks ?? {});
const pinFile = (name: string) => join(disk(DISK_OF[name]!).folder, `${name}.json`);

beforeAll(async () => {
  if (!MAY) return;
  vault = await openTestVault({ place: openDisks });
  nodes = restartableNodes(vault);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 120_000);

/** With the pins of the vault on them. */
function openDisks(prepared: PreparedVault): PreparedVault {
  const open = (name: DiskName) => openSmallDisk(join(prepared.home, `disk-${name}`));
  disks = { gateway: open('gateway'), one: open('one'), others: open('others') };
  return { ...prepared, pinFile };
}

afterEach(async () => {
  for (const one of allDisks()) one.free();
  if (MAY) await nodes.untilAlive(PARTY_NUMBERS.length);
});

afterAll(async () => {
  await nodes?.stopAll();
  for (const one of allDisks()) one.close();
  await vault?.close();
}, 60_000);

interface Health {
  readonly status: string;
  readonly checks: {
    readonly postgres: string;
    readonly pin: string;
    readonly signers: Readonly<Record<'party_1' | 'party_2' | 'party_3', string>>;
  };
}

async function healthOf(): Promise<Health> {
  const response = await fetch(`${vault.baseUrl}/health`);
  return (await response.json()) as Health;
}

const untilHealth = (isSo: (health: Health) => boolean) =>
  eventually(async () => {
    const health = await healthOf();
    return isSo(health) && health;
  });

const setFrozen = (verb: 'freeze' | 'unfreeze') =>
  expectOk(vault.admin, 'POST', `/v1/vaults/${verb}?vault_ids=${wallet.vaultId}`);
const makeVault = (name: string) =>
  expectOk(vault.admin, 'POST', '/v1/vaults', { display_name: name });
const sign = () => shoot(vault.baseUrl, bot, wallet, 10);
const pinnedSeq = (name: string) =>
  (JSON.parse(readFileSync(pinFile(name), 'utf8')) as { seq: number }).seq;

async function headSeq(): Promise<number> {
  const info = await expectOk<{ ledger_head: { seq: number } }>(vault.admin, 'GET', '/v1/info');
  return info.ledger_head.seq;
}

/** What it told of the disk. */
function untilAlarm(accuser: string): Promise<unknown> {
  return eventually(async () => {
    const { results } = await expectOk<{ results: { accuser: string; reason: string }[] }>(
      vault.admin,
      'GET',
      '/v1/alarms?kind=pin_unwritable',
    );
    return results.some((one) => one.accuser === accuser && one.reason.includes('ENOSPC'));
  });
}

/** Nothing was restarted, and each node has written down what it has seen meanwhile. */
async function untilAllPinned(): Promise<void> {
  await eventually(async () => {
    const head = await headSeq();
    return Object.keys(DISK_OF).every((name) => pinnedSeq(name) === head);
  });
  expect([nodes.gateway, ...PARTY_NUMBERS.map(nodes.party)].map((one) => one.hasExited)).toEqual([
    false,
    false,
    false,
    false,
  ]);
}

/** Up to which entry the party has given its word. */
async function spokenFor(party: PartyNumber): Promise<number> {
  const rows = await readStoredLedger(vault.servers.ownerUrl);
  const said = rows.flatMap(({ body }) => {
    const { content } = decodeEntryBody(body);
    const isStatement = content.kind === 'countersignature' || content.kind === 'acknowledgement';
    return isStatement && content.statement.party === party ? [content.statement.seq] : [];
  });
  return Math.max(...said);
}

describeIfMay('a full disk', () => {
  it('under a gateway: it takes freezes and changes and signs, and names the pin', async () => {
    disk('gateway').fill();
    await makeVault('while the disk is full');
    await setFrozen('freeze');
    expect((await sign()).status).toBe(403);
    await setFrozen('unfreeze');
    expect((await sign()).status).toBe(200);
    const { status, checks } = await healthOf();
    expect({ status, postgres: checks.postgres, pin: checks.pin }).toEqual({
      status: 'ok',
      postgres: 'ok',
      pin: 'unavailable',
    });
    await untilAlarm('gateway');
    expect(pinnedSeq('gateway')).toBeLessThan(await headSeq());
    disk('gateway').free();
    await untilHealth(({ checks: { pin } }) => pin === 'ok');
    await untilAllPinned();
  });

  it('under a party: it says nothing and signs nothing, and the other two go on', async () => {
    disk('one').fill();
    await untilHealth(({ checks }) => checks.signers.party_1 === 'cannot_pin');
    await setFrozen('freeze');
    expect((await sign()).status).toBe(403);
    await setFrozen('unfreeze');
    expect((await sign()).status).toBe(200);
    expect(await spokenFor(1)).toBeLessThanOrEqual(pinnedSeq('party-1'));
    expect(await healthOf()).toMatchObject({ status: 'ok', checks: { postgres: 'ok', pin: 'ok' } });
    await untilAlarm('party_1');
    disk('one').free();
    await nodes.untilAlive(3);
    await untilAllPinned();
    // now without one of those that went on: it takes the one whose disk was full
    await nodes.stopParties(3);
    await nodes.untilAlive(2);
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 5))).toEqual([200]);
    await nodes.startParty(3);
  });

  drill(
    'under every party: a freeze is obeyed at once, and is in force when there is room',
    async () => {
      const before = pinnedSeq('party-2');
      for (const name of ['one', 'others'] as const) disk(name).fill();
      const health = await untilHealth(({ checks }) =>
        Object.values(checks.signers).every((one) => one === 'cannot_pin'),
      );
      expect(health).toMatchObject({ status: 'degraded', checks: { postgres: 'ok' } });
      const frozen = await vault.admin.send({
        method: 'POST',
        target: `/v1/vaults/freeze?vault_ids=${wallet.vaultId}`,
        headers: { prefer: 'wait=1' },
      });
      expect(frozen.status).toBe(202);
      expect((await sign()).status).toBe(403);
      expect(pinnedSeq('party-2')).toBe(before);
      for (const name of ['one', 'others'] as const) disk(name).free();
      const { request_id: id } = frozen.body as { request_id: string };
      expect(await finalRecord(vault.admin, id)).toMatchObject({ status: 'completed' });
      await nodes.untilAlive(3);
      expect((await sign()).status).toBe(403);
      await setFrozen('unfreeze');
      expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 5))).toEqual([200]);
      await untilAllPinned();
    },
  );

  drill('under a party that starts: it starts, and signs once there is room', async () => {
    disk('one').fill();
    await nodes.stopParties(1);
    await nodes.startParty(1);
    await untilHealth(({ checks }) => checks.signers.party_1 === 'cannot_pin');
    disk('one').free();
    await nodes.untilAlive(3);
    expect(existsSync(`${pinFile('party-1')}.taken`)).toBe(true);
  });
});
