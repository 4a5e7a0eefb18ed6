/**
 * Whole processes of a release that speaks one more version of the protocol, beside processes of today: they speak what
 * both know, and the newer version once all of them know it.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import type { PartyNumber } from '@countersign/core/parties.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import { SPOKEN, type SpokenVersions } from '@countersign/runtime/jobs/protocol.js';
import { startGateway, startSigner } from '../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import { drill } from './support/drills.ts';
import { deliver, rawSignRequest } from './support/signed-request.ts';
import { eventually, expectOk, openTestVault, PATIENT } from './support/test-vault.ts';
import type { TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(180_000);

const NEXT: SpokenVersions = { oldest: SPOKEN.newest, newest: SPOKEN.newest + 1 };
/** One that has left today's version behind: nothing of it is heard by a process of today. */
const AFTER_NEXT: SpokenVersions = { oldest: NEXT.newest, newest: NEXT.newest };
const REQUESTS = 12;

let vault: TestVault;
let redis: Redis;
let wallet: TestWallet;
let gateway: VaultProcess;
const parties = new Map<PartyNumber, VaultProcess>();
/** Of replies since they were asked for last. Each has the version of its batch, which gateway, lead and partner speak. */
const replies: number[] = [];

beforeAll(async () => {
  vault = await openTestVault();
  gateway = vault.stack.gateway;
  for (const party of [1, 2, 3] as const) parties.set(party, vault.stack.signers[party - 1]!);
  wallet = await vault.createWallet();
  redis = new Redis(vault.servers.redis.url);
  redis.on('pmessageBuffer', (_pattern: unknown, _channel: unknown, reply: Buffer) => {
    replies.push(reply[0]!);
  });
  await redis.psubscribe(replyChannel('*'));
}, 60_000);

afterAll(async () => {
  redis?.disconnect();
  await Promise.all([gateway, ...parties.values()].map((process) => process?.stop()));
  await vault?.close();
}, 60_000);

function optionsOf({ oldest, newest }: SpokenVersions) {
  const release = new URL('support/other-release.mjs', import.meta.url);
  release.search = `?oldest=${oldest}&newest=${newest}`;
  return { ...vault.options, execArgv: ['--import', release.href] };
}

const baseUrl = (): string => `http://127.0.0.1:${gateway.port}`;

async function healthOf(url: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/health`);
  const { checks } = (await response.json()) as { checks: { signers: Record<string, string> } };
  return checks.signers;
}

async function rollGateway(spoken: SpokenVersions): Promise<void> {
  await gateway.stop();
  gateway = await startGateway(optionsOf(spoken), 0);
  await untilAlive(3);
}

async function rollParty(party: PartyNumber, spoken: SpokenVersions): Promise<void> {
  await parties.get(party)!.stop();
  await untilAlive(2);
  parties.set(party, await startSigner(optionsOf(spoken), party));
  await untilAlive(3);
}

function untilAlive(count: number): Promise<unknown> {
  return eventually(async () => {
    const signers = Object.values(await healthOf(baseUrl()));
    return signers.filter((each) => each === 'ok').length === count;
  });
}

/** The versions by which requests are answered now, each once. Pairs change from one request to the next. */
async function versionsInUse(): Promise<number[]> {
  replies.length = 0;
  for (let count = 0; count < REQUESTS; count++) {
    const request = rawSignRequest(vault.adminCredential, wallet.path, randomBytes(32));
    const answer = await deliver(baseUrl(), request, PATIENT);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  }
  return [...new Set(replies)].toSorted((a, b) => a - b);
}

/** All three parties talk to each other for it. */
async function makeKey(): Promise<void> {
  const admin = vault.clientFor(vault.adminCredential, baseUrl());
  const body = { type: 'ed25519', display_name: `key ${randomBytes(8).toString('hex')}` };
  await expectOk(admin, 'POST', '/v1/keys', body);
}

drill(
  'processes of the next release join those of today one by one, and speak as they do',
  async () => {
    expect(await versionsInUse()).toEqual([SPOKEN.newest]);
    await rollGateway(NEXT);
    await rollParty(1, NEXT);
    expect(await versionsInUse()).toEqual([SPOKEN.newest]); // each pair has a party of today
    await makeKey();
    await rollParty(2, NEXT);
    expect(await versionsInUse()).toEqual([SPOKEN.newest, NEXT.newest]); // one pair is of the next
    await rollParty(3, NEXT);
    expect(await versionsInUse()).toEqual([NEXT.newest]);
    await makeKey();
  },
);

drill(
  "a party that knows the newer version alone is heard by the next release, and named by today's",
  async () => {
    await rollParty(3, AFTER_NEXT);
    await parties.get(1)!.stop();
    await untilAlive(2);
    expect(await versionsInUse()).toEqual([NEXT.newest]); // by parties 2 and 3, who settled it between them
    const ofToday = await startGateway(vault.options, 0);
    const url = `http://127.0.0.1:${ofToday.port}`;
    await eventually(async () => (await healthOf(url))['party_3'] === 'other_release');
    await ofToday.stop();
  },
);
