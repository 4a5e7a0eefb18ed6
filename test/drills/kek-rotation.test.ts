/** Parties are given other KEKs, from one provider to another, while the vault signs. */
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import pg from 'pg';
import { startFakeAwsKms } from '../support/fake-aws-kms.ts';
import { startFakeGoogleKms } from '../support/fake-google-kms.ts';
import type { FakeHttp } from '../support/fake-http.ts';
import { startFakeKeyVault } from '../support/fake-key-vault.ts';
import { startFakeTransit, type FakeTransit } from '../support/fake-transit.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { fillStock } from '../support/rsa-stock.ts';
import { runWhere } from '../support/run-where.ts';
import { runSignerProgram } from '../support/signer-programs.ts';
import {
  query,
  shoot,
  shootMany,
  startLoad,
  statusesOf,
  stopLoads,
} from '../support/signing-load.ts';
import { generateKey } from '../support/standalone-keys.ts';
import { HAS_SOFT_TOKEN, makeSoftToken, type SoftToken } from '../support/soft-token.ts';
import { eventually, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';

jest.setTimeout(180_000);

let vault: TestVault;
let nodes: RestartableNodes;
let owner: pg.Pool;
let transit: FakeTransit;
let bot: TestUser;
let wallet: TestWallet;

const inHome = (name: string) => join(vault.prepared.home, name);
const kekOf = (party: PartyNumber) => join(vault.prepared.keyDir(party), 'kek.key');

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 1 });
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  transit = await startFakeTransit(['party-1']);
  writeFileSync(inHome('token'), transit.token, { mode: 0o600 });
  writeFileSync(
    inHome('transit.json'),
    JSON.stringify({
      ...{ provider: 'transit', address: transit.address, key: 'party-1' },
      token_file: inHome('token'),
    }),
  );
}, 120_000);

afterEach(stopLoads);

afterAll(async () => {
  await nodes?.stopAll();
  await transit?.stop().catch(() => undefined);
  await owner?.end();
  await vault?.close();
}, 60_000);

const nextFiles = (party: PartyNumber) =>
  readdirSync(vault.prepared.keyDir(party)).filter((name) => name.endsWith('.next'));

interface Rotated {
  readonly kek_id: string;
  readonly rewrapped: number;
  readonly unreadable: readonly string[];
}

const rotate = async (
  party: PartyNumber,
  args: readonly string[] = [],
  change: Record<string, string> = {},
) =>
  (await runSignerProgram({
    ...{ vault, party, program: 'secrets/rotation/rotate', args: ['kek', ...args], change },
  })) as unknown as Rotated;

/** A process that ended by itself, or had to be ended, is known to have ended seconds later. */
const rotateStopped = async (...asked: Parameters<typeof rotate>): Promise<Rotated> => {
  const done = await eventually(async () => {
    const told = await rotate(...asked).catch((error: unknown) => error as Error);
    return !(told instanceof Error && told.message.includes('ended a moment ago')) && { told };
  }, 20_000);
  if (done.told instanceof Error) throw done.told;
  return done.told;
};

const kekIds = async (party: PartyNumber) =>
  (await query(vault.servers.ownerUrl, `SELECT DISTINCT kek_id FROM party_${party}.key_share`)).map(
    (row) => (row as { kek_id: string }).kek_id,
  );

/** Signs by exactly the two parties that are not `without`. */
async function signsWithout(without: PartyNumber): Promise<void> {
  await nodes.stopParties(without);
  await nodes.untilAlive(2);
  expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 10))).toEqual([200]);
  await nodes.startAll();
}

describe('a party that is moved to a transit engine', () => {
  it('has to stand still first', async () => {
    await expect(rotate(1, ['--kek-provider', inHome('transit.json')])).rejects.toThrow(
      'stop party 1 first: replica a',
    );
    expect(nextFiles(1)).toEqual([]);
  });

  it('costs no request, and takes everything along that it has sealed', async () => {
    await fillStock(vault, owner, 1);
    const sealedIn = (table: string) =>
      query(vault.servers.ownerUrl, `SELECT count(*) AS rows FROM party_1.${table}`);
    const before = await Promise.all(['key_share', 'rsa_stock', 'import_recipient'].map(sealedIn));
    const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 4, waitS: 30 });
    await load.untilSigned(20);
    await nodes.stopParties(1);
    const told = await rotateStopped(1, ['--kek-provider', inHome('transit.json')]);
    expect(told).toMatchObject({ unreadable: [] });
    const counts = before.map(([row]) => Number((row as { rows: string }).rows));
    expect(counts.every((count) => count > 0)).toBe(true);
    expect(told.rewrapped).toBe(counts.reduce((sum, count) => sum + count));
    expect(await kekIds(1)).toEqual([told.kek_id]);
    expect(told.kek_id).toMatch(/^transit:/);
    await nodes.startAll();
    await load.untilSigned(20);
    expect(statusesOf(await load.stop())).toEqual([200]);
    await signsWithout(3);
    const made = await generateKey(vault, { type: 'rsa', display_name: 'from stock' });
    expect(made).toMatchObject({ type: 'rsa', status: 'active' });
  });

  it('signs while the engine is away, and does not start without it', async () => {
    await transit.stop();
    await nodes.stopParties(2);
    await nodes.untilAlive(2);
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 10))).toEqual([200]);
    await nodes.startParty(2);
    await nodes.stopParties(1);
    await expect(nodes.startParty(1)).rejects.toThrow(/transit key party-1 at .*: no answer/);
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 10))).toEqual([200]);
    await transit.start();
    await nodes.startAll();
  });

  it('does not start with what an engine makes up', async () => {
    await nodes.stopParties(1);
    transit.lies = true;
    await expect(nodes.startParty(1)).rejects.toThrow('it answered another key than transit:');
    transit.lies = false;
    await nodes.startAll();
  });

  it("does not sign with another key's data key, whatever the database gives it", async () => {
    const other = await vault.createWallet({ initiators: [bot.id] });
    await owner.query(
      `UPDATE party_1.key_share AS share SET wrapped_dek = there.wrapped_dek, sealed = there.sealed
       FROM (SELECT wrapped_dek, sealed FROM party_1.key_share WHERE key_id = $1) AS there
       WHERE key_id = $2`,
      [wallet.keyId, other.keyId],
    );
    await nodes.stopParties(3);
    await nodes.untilAlive(2);
    expect((await shoot(vault.baseUrl, bot, other, 2)).status).not.toBe(200);
    await nodes.startAll();
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 2))).toEqual([200]);
  });
});

runWhere(
  describe,
  HAS_SOFT_TOKEN,
  'SoftHSM2',
)('a party that is moved to a token', () => {
  let token: SoftToken;
  const withToken = () => ({ ...vault.options, execArgv: token.execArgv });
  const start = () => nodes.startParty(2, withToken());

  beforeAll(() => {
    mkdirSync(inHome('token-2'));
    token = makeSoftToken(inHome('token-2'));
  });

  it('signs with its KEK under a key that nobody can read', async () => {
    await nodes.stopParties(2);
    const told = await rotateStopped(2, ['--kek-provider', token.settingsFile], {
      SOFTHSM2_CONF: token.configFile,
    });
    expect(await kekIds(2)).toEqual([told.kek_id]);
    expect(told.kek_id).toMatch(/^pkcs11:/);
    await start();
    await nodes.untilAlive(3);
    await nodes.stopParties(3);
    await nodes.untilAlive(2);
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 10))).toEqual([200]);
    await nodes.startParty(3);
    await nodes.untilAlive(3);
    const fresh = await vault.createWallet({ initiators: [bot.id] });
    expect(statusesOf(await shootMany(vault.baseUrl, bot, fresh, 2))).toEqual([200]);
  });

  it('signs after the token was pulled out, and does not start without it', async () => {
    token.pullOut();
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 10))).toEqual([200]);
    await nodes.stopParties(2);
    await expect(start()).rejects.toThrow(/ended \(1\).*\n.*there is no token of this label/);
    token.plugIn();
  });

  it('ends for good with a wrong PIN: a token locks itself after a few', async () => {
    writeFileSync(token.pinFile, 'another', { mode: 0o600 });
    await expect(start()).rejects.toThrow(/ended \(2\).*\n.*the PIN is wrong/);
    writeFileSync(token.pinFile, '4711-pin', { mode: 0o600 });
  });

  it('begins nothing with a token that has two keys of one label', async () => {
    mkdirSync(inHome('token-of-two'));
    const two = makeSoftToken(inHome('token-of-two'));
    two.addKey('countersign');
    const environment = { SOFTHSM2_CONF: two.configFile };
    const begun = rotateStopped(2, ['--kek-provider', two.settingsFile], environment);
    await expect(begun).rejects.toThrow('the token has more than one secret key');
    await start();
    await nodes.untilAlive(3);
  });
});

describe('a party that is moved to a cloud', () => {
  let cloud: FakeHttp & { readonly environment: Readonly<Record<string, string>> };
  afterEach(() => cloud.stop().catch(() => undefined));

  /** Sets what only the process itself has: its threads are given what they need of it. */
  const withEnvironment = (environment: Readonly<Record<string, string>>) => {
    const code = `import { isMainThread } from 'node:worker_threads';
      if (isMainThread) Object.assign(process.env, ${JSON.stringify(environment)});`;
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
    return { ...vault.options, execArgv };
  };

  it.each([
    ['aws', startFakeAwsKms],
    ['google', startFakeGoogleKms],
    ['azure', startFakeKeyVault],
  ] as const)(
    '%s signs, waits for nobody once it runs, and is moved back',
    async (provider, start) => {
      const fake = await start();
      cloud = fake;
      const settings = {
        ...{ provider, key: fake.keys[0] },
        ...(provider !== 'azure' && { endpoint: fake.address }),
      };
      writeFileSync(inHome('cloud.json'), JSON.stringify(settings));
      await nodes.stopParties(3);
      const told = await rotateStopped(
        3,
        ['--kek-provider', inHome('cloud.json')],
        fake.environment,
      );
      expect(told.kek_id).toMatch(new RegExp(`^${provider}:`));
      await nodes.startParty(3, withEnvironment(fake.environment));
      await nodes.untilAlive(3);
      await fake.stop();
      await nodes.stopParties(1);
      await nodes.untilAlive(2);
      expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 10))).toEqual([200]);
      await nodes.stopParties(3);
      const starting = nodes.startParty(3, withEnvironment(fake.environment));
      await expect(starting).rejects.toThrow(/ended \(1\).*\n.*(no answer|no credentials)/);
      await fake.start();
      // a newer version of the provider's key: rotated by the service, or named by the settings
      if ('rotate' in fake) fake.rotate();
      const newer = { ...settings, key: fake.keys[provider === 'azure' ? 1 : 0] };
      writeFileSync(inHome('cloud.json'), JSON.stringify(newer));
      const again = await rotateStopped(
        3,
        ['--kek-provider', inHome('cloud.json')],
        fake.environment,
      );
      expect(again.kek_id).not.toBe(told.kek_id);
      const back = await rotateStopped(3, [], fake.environment);
      expect(back.kek_id).toMatch(/^file:/);
      await nodes.startAll();
    },
  );
});

describe('a rotation that is cut off', () => {
  const next = () => `${kekOf(3)}.next`;
  const marker = () => join(vault.prepared.keyDir(3), 'identity.sealed.next');
  const aside = (name: string) => join(vault.prepared.home, 'aside', name);
  const NAMES = ['kek.key', 'identity.sealed', 'exchange.sealed'];

  it('before the database took anything goes on, and the party waits for that', async () => {
    await nodes.stopParties(3);
    const blocker = await owner.connect();
    await blocker.query('BEGIN; LOCK TABLE party_3.rsa_stock IN ACCESS EXCLUSIVE MODE');
    const cut = spawn(process.execPath, ['signer/bundle/secrets/rotation/rotate.js', 'kek'], {
      env: {
        PARTY: '3',
        DATABASE_URL: vault.prepared.roleUrls.party_3,
        KEY_DIR: vault.prepared.keyDir(3),
      },
    });
    await eventually(() => existsSync(join(vault.prepared.keyDir(3), 'exchange.sealed.next')));
    cut.kill('SIGKILL');
    await blocker.query('ROLLBACK');
    blocker.release();
    await expect(nodes.startParty(3)).rejects.toThrow(/ended \(2\).*\n.*a rotation of the KEK was/);
    const begun = readFileSync(next());
    const told = await rotateStopped(3);
    expect(readFileSync(kekOf(3))).toEqual(begun);
    expect(await kekIds(3)).toEqual([told.kek_id]);
    await nodes.startParty(3);
    await nodes.untilAlive(3);
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 5))).toEqual([200]);
  });

  it.each([
    ['after the database took it', NAMES],
    ['between the files', ['kek.key', 'identity.sealed']],
    ['when the old KEK is gone', ['identity.sealed']],
    ['before it tidied up', []],
  ])('%s goes on', async (_, old) => {
    await nodes.stopParties(3);
    mkdirSync(dirname(aside('x')), { recursive: true });
    for (const name of old) copyFileSync(join(vault.prepared.keyDir(3), name), aside(name));
    await rotateStopped(3);
    copyFileSync(kekOf(3), next());
    copyFileSync(join(vault.prepared.keyDir(3), 'identity.sealed'), marker());
    for (const name of old) renameSync(aside(name), join(vault.prepared.keyDir(3), name));
    const told = await rotate(3);
    expect(told.unreadable).toEqual([]);
    expect(await kekIds(3)).toEqual([told.kek_id]);
    expect(nextFiles(3)).toEqual([]);
    await nodes.startParty(3);
    await signsWithout(1);
  });

  it('to another place goes on to that place alone', async () => {
    await nodes.stopParties(3);
    const elsewhere = inHome('elsewhere/kek.key');
    copyFileSync(join(vault.prepared.keyDir(3), 'identity.sealed'), marker());
    const moved = rotateStopped(3, ['--kek-file', elsewhere]);
    await expect(moved).rejects.toThrow('begun with another place');
    rmSync(marker());
    await rotate(3, ['--kek-file', elsewhere]);
    await expect(nodes.startParty(3)).rejects.toThrow('not the identity key of party 3');
    await nodes.startParty(3, { ...vault.options, kekFile: elsewhere });
    await signsWithout(1);
    await nodes.stopParties(3);
    copyFileSync(elsewhere, kekOf(3));
  });

  it('leaves what was damaged before as it is, and names it', async () => {
    await nodes.stopParties(3);
    const id = '00000000-0000-4000-8000-000000000000';
    await owner.query(
      `INSERT INTO party_3.rsa_stock (stock_id, wrapped_dek, sealed, created_at)
       VALUES ($1, '\\x00', '\\x00', now())`,
      [id],
    );
    const told = await rotateStopped(3);
    expect(told.unreadable).toEqual([`rsa_stock ${id}`]);
  });
});
