import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startGateway, startSigner, waitHealthy } from '../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import { checkShots, query, shoot, shootMany, startLoad } from './support/signing-load.ts';
import { statusesOf, stopLoads, timeToSignature } from './support/signing-load.ts';
import type { Shot } from './support/signing-load.ts';
import { restartRedis, type RestartedRedis } from './support/restart-redis.ts';
import { deliver, rawSignRequest } from './support/signed-request.ts';
import { eventually, expectOk, openTestVault, PATIENT } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';
import { someOf } from './support/drills.ts';

jest.setTimeout(180_000);

const BACK_WITHIN_MS = 10_000;
/** Where a machine is so slow that this is more: so many times what a gateway takes to start on it. */
const BACK_WITHIN_STARTS = 8;
/** So many signatures show that the load is at full speed. */
const RUN_UP = 40;

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let baseUrl: string;
let backWithinMs = BACK_WITHIN_MS;
const started: VaultProcess[] = [];
let restartedRedis: RestartedRedis | undefined;

beforeAll(async () => {
  vault = await openTestVault();
  baseUrl = vault.baseUrl;
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 60_000);

afterEach(stopLoads);

afterAll(async () => {
  for (const process of started) await process.stop();
  await vault?.close();
  await restartedRedis?.stop();
}, 60_000);

function urlOf(gateway: VaultProcess): string {
  return `http://127.0.0.1:${gateway.port}`;
}

async function startAnotherGateway(): Promise<VaultProcess> {
  const startedAt = Date.now();
  const gateway = await startGateway(vault.options, 0);
  started.push(gateway);
  await waitHealthy(urlOf(gateway));
  backWithinMs = Math.max(backWithinMs, BACK_WITHIN_STARTS * (Date.now() - startedAt));
  return gateway;
}

function checkAll(shots: readonly Shot[]): Promise<number> {
  const client = vault.clientFor(bot.credential, baseUrl);
  return checkShots(vault.servers.ownerUrl, client, wallet, shots);
}

async function expectUndisturbed(): Promise<void> {
  expect(statusesOf(await shootMany(baseUrl, bot, wallet, 32))).toEqual([200]);
}

describe('two gateways on the same stores', () => {
  let other: VaultProcess;
  beforeAll(async () => {
    other = await startAnotherGateway();
  }, 60_000);
  afterAll(() => other?.stop());

  it('reads its own writes on each, and soon those of the other', async () => {
    const here = vault.admin;
    const there = vault.clientFor(vault.adminCredential, urlOf(other));
    for (const [writer, reader] of [
      [here, there],
      [there, here],
    ] as const) {
      for (let round = 0; round < 10; round++) {
        const made = await expectOk<{ id: string }>(writer, 'POST', '/v1/vaults', {
          display_name: `written at ${writer === here ? 'one' : 'the other'}, ${round}`,
        });
        const target = `/v1/vaults/${made.id}`;
        expect((await writer.get(target)).status).toBe(200);
        await eventually(async () => (await reader.get(target)).status === 200);
      }
    }
  });

  it('refuses at one a request that the other has taken', async () => {
    const signing = rawSignRequest(bot.credential, wallet.path, Buffer.from('once'));
    expect((await deliver(vault.baseUrl, signing, PATIENT)).status).toBe(200);
    expect((await deliver(urlOf(other), signing)).status).toBe(401);
    expect((await deliver(vault.baseUrl, signing)).status).toBe(401);
  });

  it('signs a request once, though both get it at the same moment', async () => {
    const urls = [vault.baseUrl, urlOf(other)];
    for (let round = 0; round < 10; round++) {
      const signing = rawSignRequest(bot.credential, wallet.path, Buffer.from(`race ${round}`));
      const answers = await Promise.all(
        [...urls, ...urls].map((url) => deliver(url, signing, PATIENT)),
      );
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([200, 401, 401, 401]);
    }
  });

  it('brings to an end at one what the other had accepted when it was killed', async () => {
    const doomed = await startAnotherGateway();
    const signing = rawSignRequest(bot.credential, wallet.path, Buffer.from('orphan'));
    // both parties that could sign are stopped just long enough for the 202
    const signers = vault.stack.signers;
    for (const signer of signers) signer.kill('SIGSTOP');
    const answer = await deliver(urlOf(doomed), signing);
    expect(answer.status).toBe(202);
    doomed.kill('SIGKILL');
    await doomed.exited;
    for (const signer of signers) signer.kill('SIGCONT');
    const record = await eventually(async () => {
      const { body } = await vault
        .clientFor(bot.credential)
        .get(`/v1/requests/${signing.requestId}`);
      return (body as { status: string }).status === 'completed' && body;
    });
    expect(record).toMatchObject({ status: 'completed' });
  });
});

describe('kill -9 under load', () => {
  it('of the gateway: loses nothing it answered, signs nothing twice, is back in time', async () => {
    let gateway = await startAnotherGateway();
    baseUrl = urlOf(gateway);
    const load = startLoad(() => baseUrl, bot, wallet);
    await load.untilSigned(RUN_UP);
    gateway.kill('SIGKILL');
    await gateway.exited;
    const restartedAt = Date.now();
    gateway = await startAnotherGateway();
    baseUrl = urlOf(gateway);
    await load.untilSigned(RUN_UP);
    const shots = await load.stop();
    expect(timeToSignature(shots, restartedAt)).toBeLessThan(backWithinMs);
    expect(statusesOf(shots)).toContain(undefined);
    expect(await checkAll(shots)).toBeGreaterThanOrEqual(2 * RUN_UP);
    await expectUndisturbed();
    baseUrl = vault.baseUrl;
    await gateway.stop();
  });

  it.each(someOf([1, 2, 3] as const))(
    'of party %i: loses nothing that was answered, signs nothing twice, is back in time',
    async (party) => {
      const running = [...started, ...vault.stack.signers].findLast(
        (process) => process.name === `party_${party}-a` && !process.hasExited,
      )!;
      const load = startLoad(() => baseUrl, bot, wallet);
      await load.untilSigned(RUN_UP);
      running.kill('SIGKILL');
      await running.exited;
      const killedAt = Date.now();
      started.push(await startSigner(vault.options, party));
      await load.untilSigned(RUN_UP);
      const shots = await load.stop();
      expect(timeToSignature(shots, killedAt)).toBeLessThan(backWithinMs);
      expect(await checkAll(shots)).toBeGreaterThanOrEqual(2 * RUN_UP);
      await expectUndisturbed();
      for (const status of statusesOf(shots)) expect([200, 202]).toContain(status);
    },
  );
});

describe('SIGTERM under load', () => {
  it('lets a gateway answer every request that it took before it ends', async () => {
    const gateway = await startAnotherGateway();
    let url = urlOf(gateway);
    const load = startLoad(() => url, bot, wallet);
    await load.untilSigned(RUN_UP);
    gateway.kill('SIGTERM');
    expect(await gateway.exited).toBe(0);
    url = vault.baseUrl;
    const shots = await load.stop();
    for (const status of statusesOf(shots)) expect([200, 202, undefined]).toContain(status);
    expect(await checkAll(shots)).toBeGreaterThanOrEqual(RUN_UP);
    // a connection that broke carried no request that came to anything
    const unanswered = shots.filter(({ status }) => status === undefined);
    const results = await query(
      vault.servers.ownerUrl,
      'SELECT FROM request_result WHERE request_id = ANY($1)',
      [unanswered.map(({ signed }) => signed.requestId)],
    );
    expect(results).toEqual([]);
  });

  it('of a party loses nothing: what it does not finish, another pair signs', async () => {
    const running = [...started, ...vault.stack.signers].findLast(
      (process) => process.name === 'party_2-a' && !process.hasExited,
    )!;
    const load = startLoad(() => baseUrl, bot, wallet);
    await load.untilSigned(RUN_UP);
    running.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    await load.untilSigned(RUN_UP);
    started.push(await startSigner(vault.options, 2));
    const shots = await load.stop();
    for (const status of statusesOf(shots)) expect([200, 202]).toContain(status);
    expect(await checkAll(shots)).toBeGreaterThanOrEqual(2 * RUN_UP);
    await expectUndisturbed();
  });
});

describe('a database that takes no records', () => {
  const records = [1, 2, 3].map((party) => `party_${party}.sign_record`);
  const asOwner = (statement: string) => query(vault.servers.ownerUrl, statement);

  it.each([
    ['results', ['request_result'], ''],
    ["leads' records", records, "WHEN (NEW.role = 'lead')"],
    ["partners' records", records, "WHEN (NEW.role = 'partner')"],
  ])('lets no signature out while it refuses %s', async (_name, refusing, condition) => {
    await asOwner(`CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
                   AS $$ BEGIN RAISE EXCEPTION 'no space left'; END $$`);
    for (const table of refusing) {
      await asOwner(`CREATE TRIGGER fail BEFORE INSERT ON ${table}
                     FOR EACH ROW ${condition} EXECUTE FUNCTION fail()`);
    }
    const during = await Promise.all(Array.from({ length: 8 }, () => shoot(baseUrl, bot, wallet)));
    expect(statusesOf(during)).toEqual([202]);
    for (const table of refusing) await asOwner(`DROP TRIGGER fail ON ${table}`);
    await expectUndisturbed();
    // what was accepted is signed after all, each request once
    expect(await checkAll(during)).toBe(8);
  });
});

describe('a restart of Redis under load', () => {
  it('disturbs only what was under way, and all signs again by itself', async () => {
    const load = startLoad(() => baseUrl, bot, wallet);
    await load.untilSigned(RUN_UP);
    await vault.servers.redis.stop();
    restartedRedis = await restartRedis(vault.servers);
    const restartedAt = Date.now();
    await load.untilSigned(RUN_UP);
    const shots = await load.stop();
    expect(timeToSignature(shots, restartedAt)).toBeLessThan(backWithinMs);
    expect(await checkAll(shots)).toBeGreaterThanOrEqual(2 * RUN_UP);
    await expectUndisturbed();
    // 401: signed before the new Redis began to remember nonces; 504: no store to remember them in
    for (const status of statusesOf(shots)) expect([200, 202, 401, 504]).toContain(status);
  });
});
