/**
 * What a desk sees while the machines below it end, on real programs: PostgreSQL with a standby, Redis with Sentinel, two
 * gateways behind HAProxy, and a party far away. `apt-get install haproxy redis-server redis-sentinel` has what it needs.
 *
 * Each drill tells its figures on the standard output, and in `.countersign/drills/high-availability.txt`. Of every
 * request it holds that `checkShots` demands: what was answered is recorded, and what was taken has an end.
 */
import { appendFileSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { findProgram, runWhere } from '../../test/support/run-where.ts';
import { runSignerProgram } from '../../test/support/signer-programs.ts';
import {
  checkShots,
  shoot,
  shootMany,
  startLoad,
  statusesOf,
  type Shot,
} from '../../test/support/signing-load.ts';
import { eventually, type TestUser, type TestWallet } from '../../test/support/test-vault.ts';
import { openDrillVault, type DrillVault } from './high-availability/drill-vault.ts';
import { openFarAway } from './high-availability/far-away.ts';

const REPORT = join('.countersign', 'drills', 'high-availability.txt');
const CALLERS = 8;
const WINDOW_MS = 5 * 60_000;
/** How long whoever decides takes to believe that a primary server is gone, in these drills. */
const NOTICE_MS = 1_000;

jest.setTimeout(300_000);

let drill: DrillVault;
let bot: TestUser;
let wallet: TestWallet;

async function open(): Promise<void> {
  drill = await openDrillVault();
  bot = await drill.vault.createMachine();
  wallet = await drill.vault.createWallet({ initiators: [bot.id] });
}
const close = () => drill?.close();

function tell(line: string): void {
  mkdirSync(dirname(REPORT), { recursive: true });
  appendFileSync(REPORT, `${line}\n`);
  process.stdout.write(`${line}\n`);
}

/** Has callers sign while `act` goes on, and for a while after; throws where a request was lost. */
async function underLoad(what: string, act: () => Promise<void>): Promise<readonly Shot[]> {
  const { vault } = drill;
  const load = startLoad(() => vault.baseUrl, bot, wallet, {
    ...{ callers: CALLERS, waitS: 30, isSteady: true },
  });
  await load.untilSigned(100);
  const since = Date.now();
  await act();
  await load.untilSigned(200);
  const shots = await load.stop();
  await checkShots(vault.servers.ownerUrl, vault.admin, wallet, shots);
  const pause = longestPause(shots, since);
  tell(`${what}: ${countsOf(shots)}; ${(pause / 1_000).toFixed(1)} s without a signature; 0 lost`);
  return shots;
}

function countsOf(shots: readonly Shot[]): string {
  const counts = statusesOf(shots).map((status) => {
    const count = shots.filter((shot) => shot.status === status).length;
    return `${count} ${status ?? 'without an answer'}`;
  });
  return `${shots.length} requests (${counts.join(', ')})`;
}

/** Between two signatures that came back after `since`, ms. */
function longestPause(shots: readonly Shot[], since: number): number {
  const ends = shots.flatMap(({ status, endedAt }) =>
    status === 200 && endedAt >= since ? [endedAt] : [],
  );
  const times = [since, ...ends.toSorted((a, b) => a - b)];
  return Math.max(...times.slice(1).map((time, index) => time - times[index]!));
}

const signs = async () => statusesOf(await shootMany(drill.vault.baseUrl, bot, wallet, 20));
const governs = () => drill.vault.createMachine();

const CAN_RUN = ['haproxy', 'redis-server', 'redis-sentinel'].every(findProgram);
const describeWhere = runWhere(describe, CAN_RUN, 'haproxy, redis-server and redis-sentinel');

describeWhere('a vault whose stores are pairs', () => {
  beforeAll(open, 180_000);
  afterAll(close, 60_000);

  it('loses no request when a gateway is stopped, and few callers notice one that dies', async () => {
    const stopped = await underLoad('a gateway drains and stops', async () => {
      await drill.other().stop();
    });
    expect(statusesOf(stopped)).toEqual([200]);
    await drill.startOther();
    await underLoad('a gateway is killed', async () => {
      drill.other().kill('SIGKILL');
      await drill.other().exited;
    });
    await drill.startOther();
  });

  it('signs with a party that is 40 ms away', async () => {
    const { vault, nodes } = drill;
    const latency = async (what: string) => {
      const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 2, waitS: 30 });
      await load.untilSigned(300);
      const shots = await load.stop();
      expect(statusesOf(shots)).toEqual([200]);
      const times = shots.map((shot) => shot.endedAt - shot.startedAt).toSorted((a, b) => a - b);
      const at = (part: number) => times[Math.floor(part * times.length)];
      tell(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${times.length}`);
    };
    await latency('all parties are near');
    await nodes.stopParties(3);
    const database = await openFarAway(vault.prepared.roleUrls.party_3, 40);
    const redis = await openFarAway(vault.options.redisUrl, 40);
    const roleUrls = { ...vault.prepared.roleUrls, party_3: database.url };
    const there = { ...vault.options, redisUrl: redis.url, vault: { ...vault.prepared, roleUrls } };
    await nodes.startParty(3, there);
    await nodes.untilAlive(3);
    await latency('party 3 is 40 ms away');
    await nodes.stopParties(2);
    await nodes.untilAlive(2);
    await latency('party 3 is 40 ms away, and party 2 is down');
    await nodes.startParty(2);
    await nodes.stopParties(3);
    await nodes.startParty(3);
    await nodes.untilAlive(3);
    for (const one of [database, redis]) await one.close();
  });

  it('goes on with the Redis that Sentinel makes the primary one', async () => {
    await underLoad('Redis dies, Sentinel takes the other', () => drill.redis.crash());
    expect(await signs()).toEqual([200]);
    await governs();
  });

  it('goes on with a synchronous standby, and misses nothing', async () => {
    const { databases } = drill;
    await databases.synchronous(true);
    await underLoad('PostgreSQL dies, its synchronous standby is promoted', async () => {
      await databases.primary.crash();
      await setTimeout(NOTICE_MS);
      await databases.promote();
    });
    expect(await signs()).toEqual([200]);
    await governs();
    const { rows } = await faults();
    expect(rows).toBe(0);
  });
});

/** Alarms of nodes that could not follow the ledger. */
async function faults(): Promise<{ readonly rows: number }> {
  const { body } = await drill.vault.admin.get('/v1/alarms?kind=ledger_fault');
  return { rows: (body as { results: unknown[] }).results.length };
}

describeWhere('an asynchronous standby that lacks the end of the ledger', () => {
  beforeAll(open, 180_000);
  afterAll(close, 60_000);

  const everybody = () => [
    drill.nodes.gateway,
    drill.other(),
    ...PARTY_NUMBERS.map(drill.nodes.party),
  ];

  /** The standby is cut off, more is decided, and then it is all that is left. */
  async function loseTheEnd(): Promise<TestUser> {
    const { databases, wire } = drill;
    await eventually(() => signs().then(([status]) => status === 200), 60_000);
    wire.refuse();
    const late = await governs();
    expect(await signs()).toEqual([200]);
    await databases.primary.crash();
    await setTimeout(NOTICE_MS);
    await databases.promote();
    return late;
  }

  async function startEverybody(): Promise<void> {
    const { nodes } = drill;
    await Promise.all([drill.other().stop(), nodes.stopAll()]);
    await nodes.startAll();
    await drill.startOther();
  }

  it('is refused by every node, loudly, and nothing is signed over it', async () => {
    await drill.databases.synchronous(false);
    const lostAt = Date.now();
    await loseTheEnd();
    const isLoud = (log: string) =>
      log.includes('does not contain') || log.includes('ledger_fault');
    await eventually(() => everybody().every((node) => isLoud(node.output())), 60_000);
    tell(
      `lost end: every node says so ${((Date.now() - lostAt) / 1_000).toFixed(1)} s after the cut`,
    );
    const shots = await Promise.all(
      Array.from({ length: 5 }, () => shoot(drill.vault.baseUrl, bot, wallet, 2)),
    );
    expect(statusesOf(shots)).not.toContain(200);
  });

  it('is left, and the old primary goes on: nothing is lost', async () => {
    const { databases, wire } = drill;
    const since = Date.now();
    await databases.standby.crash();
    await databases.primary.start();
    await startEverybody();
    expect(await signs()).toEqual([200]);
    await governs();
    tell(`lost end: the old primary is back, all nodes restarted: ${seconds(since)} s`);
    wire.heal();
    await databases.rebuildStandby();
  });

  it('is taken where the old primary is gone, by all parties, who know what they lose', async () => {
    const late = await loseTheEnd();
    const since = Date.now();
    await Promise.all([drill.other().stop(), drill.nodes.stopAll()]);
    for (const party of PARTY_NUMBERS) await forget(party);
    for (const gateway of ['gateway', 'gateway-b']) setAside(drill.vault.prepared.pinFile(gateway));
    await startEverybody();
    expect(await signs()).toEqual([200]);
    await governs();
    const { status } = await late.client.get('/v1/whoami');
    expect(status).toBe(401);
    tell(
      `lost end: taken by three parties and two gateways: ${seconds(since)} s, and the wait of 5 min`,
    );
  });

  /** As if five minutes ago: then the party need not wait for them. */
  async function forget(party: PartyNumber): Promise<void> {
    setAside(drill.vault.prepared.pinFile(`party-${party}`));
    const args = ['--trust-database'];
    await runSignerProgram({
      ...{ vault: drill.vault, party, program: 'recovery/remember', args, behindMs: WINDOW_MS },
    });
  }

  function setAside(pinFile: string): void {
    const folder = dirname(pinFile);
    const name = pinFile.slice(folder.length + 1);
    mkdirSync(join(folder, 'aside'), { recursive: true });
    for (const file of readdirSync(folder)) {
      if (file === name || file.startsWith(`${name}.`)) {
        renameSync(join(folder, file), join(folder, 'aside', file));
      }
    }
  }
});

const seconds = (since: number) => ((Date.now() - since) / 1_000).toFixed(1);
