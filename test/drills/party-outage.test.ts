import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import {
  checkShots,
  finalRecord,
  shoot,
  shootMany,
  statusesOf,
  type Shot,
} from '../support/signing-load.ts';
import { eventually, expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';

jest.setTimeout(180_000);

const PARTIES = [1, 2, 3] as const;
/** More than the time that a signing request has to live. */
const LATER_MS = 31_000;
/** The service waits 2 s for a signature; a machine that is busy elsewhere may need another try. */
const ANSWERED_WITHIN_MS = 5_000;
/** Much less than a request lives: what expires in it does so because the clock was moved. */
const EXPIRED_WITHIN_MS = 15_000;

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
const parties = new Map<PartyNumber, VaultProcess>();
let aheadMs = 0;

/** Makes the clock of a process one that `letTimePass` moves. */
function movingClock(): string[] {
  const clock = new URL('../support/moving-clock.mjs', import.meta.url);
  clock.search = `?step=${LATER_MS}&ahead=${aheadMs}`;
  return ['--import', clock.href];
}

/** For the whole vault at once, and for whatever starts later. */
function letTimePass(): void {
  aheadMs += LATER_MS;
  for (const process of [vault.stack.gateway, ...parties.values()]) process.kill('SIGUSR2');
}

beforeAll(async () => {
  vault = await openTestVault({ execArgv: movingClock() });
  for (const party of PARTIES) parties.set(party, vault.stack.signers[party - 1]!);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 60_000);

afterAll(async () => {
  for (const process of parties.values()) await process.stop();
  await vault?.close();
}, 60_000);

async function stopParty(party: PartyNumber): Promise<void> {
  await parties.get(party)!.stop();
  await untilSeen(party, false);
}

async function startParty(party: PartyNumber): Promise<void> {
  parties.set(party, await startSigner({ ...vault.options, execArgv: movingClock() }, party));
  await untilSeen(party, true);
}

/** Until the gateway's health says so. */
function untilSeen(party: PartyNumber, isAlive: boolean): Promise<unknown> {
  return eventually(async () => {
    const response = await fetch(`${vault.baseUrl}/health`);
    const { checks } = (await response.json()) as { checks: { signers: Record<string, string> } };
    return (checks.signers[`party_${party}`] === 'ok') === isAlive;
  });
}

const patiently = (count: number) => shootMany(vault.baseUrl, bot, wallet, count);

/** Callers who do not say how long they wait. */
const byDefault = (count: number): Promise<Shot[]> =>
  Promise.all(Array.from({ length: count }, () => shoot(vault.baseUrl, bot, wallet)));

describe('one party away', () => {
  it.each(PARTIES)(
    'goes on signing without party %i, and with it again once it is back',
    async (party) => {
      await stopParty(party);
      const without = await patiently(20);
      expect(statusesOf(without)).toEqual([200]);
      await startParty(party);
      const again = await patiently(20);
      expect(statusesOf(again)).toEqual([200]);
      const shots = [...without, ...again];
      expect(await checkShots(vault.servers.ownerUrl, bot.client, wallet, shots)).toBe(40);
    },
  );

  it('takes a share of the work again after its return', async () => {
    const signedBy = new Set<number>();
    await eventually(async () => {
      for (const { text } of await patiently(6)) {
        const answer = JSON.parse(text) as { receipt: { parties: number[] } };
        for (const party of answer.receipt.parties) signedBy.add(party);
      }
      return signedBy.size === 3;
    });
    expect([...signedBy]).toHaveLength(3);
  });

  it('generates a key once the third party is back, not before', async () => {
    await stopParty(2);
    const asked = await vault.admin.send({
      method: 'POST',
      target: '/v1/keys',
      body: { type: 'ed25519', display_name: `key ${randomBytes(4).toString('hex')}` },
      headers: { prefer: 'wait=3' },
    });
    expect(asked.status).toBe(202);
    const { request_id: requestId } = asked.body as { request_id: string };
    const record = await expectOk<{ status: string }>(
      vault.admin,
      'GET',
      `/v1/requests/${requestId}`,
    );
    expect(record.status).toBe('processing');
    await startParty(2);
    const done = await finalRecord(vault.admin, requestId);
    expect(done).toMatchObject({ status: 'completed', result: { status: 'active' } });
  });
});

describe('two parties away', () => {
  it('answers 504 at once, accepts nothing, and signs again when one returns', async () => {
    await stopParty(1);
    await stopParty(2);
    const refused = await byDefault(8);
    expect(statusesOf(refused)).toEqual([504]);
    expect(refused.every((shot) => shot.endedAt - shot.startedAt < ANSWERED_WITHIN_MS)).toBe(true);
    for (const { signed } of refused) {
      await eventually(async () => {
        // the answer does not wait for its record
        const { status, body } = await bot.client.get(`/v1/requests/${signed.requestId}`);
        if (status !== 404) expect(body).toMatchObject({ status: 'failed' });
        return status === 200;
      });
    }
    await startParty(1);
    const again = await patiently(8);
    expect(statusesOf(again)).toEqual([200]);
    expect(await checkShots(vault.servers.ownerUrl, bot.client, wallet, again)).toBe(8);
    await startParty(2);
  });

  // the last: from here on the vault's clocks are ahead of the callers'
  it('lets what was accepted just before expire, and signs again as soon as two are there', async () => {
    await stopParty(3);
    const stalled = parties.get(2)!;
    // a party that no longer answers counts as alive for a moment: until a request comes within it
    const stranded = await eventually(async () => {
      stalled.kill('SIGCONT');
      await untilSeen(2, true);
      stalled.kill('SIGSTOP');
      const shots = await byDefault(8);
      return statusesOf(shots).join() === '202' && shots;
    });

    letTimePass();
    for (const { signed } of stranded) {
      await eventually(async () => {
        const { status, body } = await bot.client.get(`/v1/requests/${signed.requestId}`);
        // by its new clock the gateway has not looked at the ledger for a while
        if (status === 504) return false;
        expect(body).toMatchObject({ status: expect.stringMatching(/^(processing|expired)$/) });
        return (body as { status: string }).status === 'expired';
      }, EXPIRED_WITHIN_MS);
    }

    stalled.kill('SIGCONT');
    await stopParty(2);
    await startParty(3);
    const fresh = await patiently(8);
    expect(statusesOf(fresh)).toEqual([200]);
    const late = await checkShots(vault.servers.ownerUrl, bot.client, wallet, stranded);
    expect(late).toBe(0);
    await startParty(2);
  });
});

it('a second process under the name of one that lives is told so, and the first one goes on', async () => {
  const second = startSigner(vault.options, 2);
  await expect(second).rejects.toThrow('REPLICA: another process of party 2 runs under the name');
  expect(parties.get(2)!.hasExited).toBe(false);
  expect(statusesOf(await patiently(6))).toEqual([200]);
});
