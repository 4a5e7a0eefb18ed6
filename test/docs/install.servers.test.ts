/**
 * docs/how-to/install.md and configure.md, followed on servers of their own by an owner who is no superuser: what they
 * tell an administrator, an owner and an operator to type, up to the first signature.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { migrate } from '@countersign/admin/database/migrate.js';
import { Redis } from 'ioredis';
import {
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../infra/dev/dist/embedded/postgres.js';
import { openEmbeddedRedis, type EmbeddedRedis } from '../../infra/dev/dist/embedded/redis.js';
import {
  startGateway,
  startSigner,
  waitHealthy,
  type StackOptions,
} from '../../infra/dev/dist/stack/open-stack.js';
import type { PreparedVault } from '../../infra/dev/dist/stack/prepare-vault.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { blocksOf, blockWith } from '../support/page-blocks.ts';
import { findProgram, runWhere } from '../support/run-where.ts';
import { query } from '../support/signing-load.ts';
import { onCluster, requireEnv } from '../support/test-servers.ts';
import { expectOk, useVault, type VaultInUse } from '../support/test-vault.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);
const INSTALL = 'docs/how-to/install.md';
const CONFIGURE = 'docs/how-to/configure.md';
const PARTIES = [1, 2, 3] as const;
const PASSWORD = randomBytes(12).toString('hex');
const OWNER = 'countersign_owner';
const GATEWAY = 'gateway_a';

let folder: string;
let postgres: EmbeddedPostgres;
let redis: EmbeddedRedis;
let asked: Redis;
const processes: VaultProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(requireEnv('COUNTERSIGN_TEST_HOME'), 'install-'));
  const packagesDir = requireEnv('COUNTERSIGN_TEST_PACKAGES');
  [postgres, redis] = await Promise.all([
    openEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: 'fast' }),
    openEmbeddedRedis({ dataDir: join(folder, 'redis'), packagesDir }),
  ]);
  asked = new Redis(redis.url);
}, 120_000);

afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  asked?.disconnect();
  await redis?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Of the database that the page makes. */
function urlAs(login?: string): string {
  const url = new URL(postgres.url);
  url.pathname = '/countersign';
  if (login !== undefined) Object.assign(url, { username: login, password: PASSWORD });
  return url.toString();
}

/** One block with the hosts, folders and names of this run; `party` where the page shows it for party 1. */
async function type(block: string, party = 1): Promise<string> {
  const command = block
    .replaceAll(
      /npm run (-s )?countersign --/g,
      `${process.execPath} infra/admin/dist/countersign.js`,
    )
    .replaceAll(/\bnode signer/g, `${process.execPath} signer`)
    .replaceAll('/etc/countersign/party-1 1 ', `${folder}/keys-${party} ${party} `)
    .replaceAll('kek-1/kek.key > party-1', `kek-${party}/kek.key > party-${party}`)
    .replaceAll('/etc/countersign', folder)
    .replaceAll(/\b(party-\d\.json|genesis\.json|ada\.pem)/g, `${folder}/$1`)
    .replaceAll(/postgres:\/\/(\w+)@db\/countersign/g, (_, login: string) => `'${urlAs(login)}'`);
  const { stdout } = await run('sh', ['-c', command], { env: { PATH: process.env['PATH'] } });
  return stdout;
}

/** Passwords are given out of sight of the page. */
const givePassword = (login: string) =>
  onCluster(postgres.url, `ALTER ROLE ${login} PASSWORD '${PASSWORD}'`);

describe('the database', () => {
  it('is made by an owner who may make roles, and by nobody else', async () => {
    const statements = blockWith(INSTALL, 'sql', `CREATE ROLE ${OWNER}`).split('\n');
    await onCluster(postgres.url, ...statements);
    await givePassword(OWNER);
    const other = statements.map((line) =>
      line.replace(' CREATEROLE', '').replaceAll(/countersign(_owner)?/g, 'other$1'),
    );
    await onCluster(postgres.url, ...other);
    await givePassword('other_owner');
    const otherUrl = urlAs('other_owner').replace(/countersign$/, 'other');
    await expect(migrate(otherUrl)).rejects.toThrow('permission denied to create role');
    const migrated = await type(blockWith(INSTALL, 'sh', 'migrate'));
    expect(JSON.parse(migrated)).toMatchObject({ migrations: [expect.any(String)] });
  });

  it('lets nobody take its locks, once the administrator took them from everybody', async () => {
    const mayLock = async () => {
      const [row] = await query<{ may: boolean }>(
        urlAs(),
        `SELECT has_function_privilege('public', 'pg_advisory_lock(bigint)', 'EXECUTE') AS may`,
      );
      return row!.may;
    };
    expect(await mayLock()).toBe(true);
    await onCluster(urlAs(), blockWith(INSTALL, 'sql', 'pg_(try_)?advisory_'));
    expect(await mayLock()).toBe(false);
  });

  it('has logins with limits of their own, which no login has of a role that it is a member of', async () => {
    await onCluster(urlAs(OWNER), blockWith(INSTALL, 'sql', `CREATE ROLE ${GATEWAY}`));
    await onCluster(urlAs(OWNER), blockWith(INSTALL, 'sql', 'transaction_timeout'));
    const logins = await query<{ name: string; most: number; settings: string[] | null }>(
      urlAs(),
      `SELECT role.rolname AS name, rolconnlimit AS most, setconfig AS settings
       FROM pg_roles role LEFT JOIN pg_db_role_setting ON setrole = role.oid
       WHERE rolcanlogin AND NOT rolsuper AND rolname NOT LIKE '%owner'`,
    );
    expect(logins.map(({ name }) => name).toSorted()).toEqual([
      'countersign_auditor',
      'countersign_notifier',
      ...PARTIES.map((party) => `countersign_party_${party}`),
      GATEWAY,
      'gateway_b',
    ]);
    expect(logins.filter(({ settings }) => settings?.length !== 4)).toEqual([]);
    const connections = logins.reduce((sum, { most }) => sum + most, 0);
    const [{ free }] = (await query<{ free: number }>(
      urlAs(),
      `SELECT current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int AS free`,
    )) as [{ free: number }];
    expect(connections).toBeLessThan(free);

    await Promise.all(logins.map(({ name }) => givePassword(name)));
    await onCluster(urlAs(), `ALTER ROLE countersign_gateway SET lock_timeout = '1s'`);
    expect(await query(urlAs(GATEWAY), 'SHOW lock_timeout')).toEqual([{ lock_timeout: '5s' }]);
  });
});

const needs = 'needs openssl and basenc';
const hasPrograms = ['openssl', 'basenc'].every(findProgram);

runWhere(
  describe,
  hasPrograms,
  needs,
)('the vault', () => {
  let vault: VaultInUse;
  let prepared: Omit<PreparedVault, 'webhookKeyFile'>;

  it('gets its keys and its genesis', async () => {
    for (const party of PARTIES) await type(blockWith(INSTALL, 'sh', 'create-keys'), party);
    await type(blockWith(INSTALL, 'sh', '-- evidence-key'));
    const publicKey = (await type(blockWith(INSTALL, 'sh', 'genpkey'))).trim();
    expect(publicKey).toMatch(/^[\w-]{43}$/);
    const init = blockWith(INSTALL, 'sh', 'init --parties').replace('<public key>', publicKey);
    const { users } = JSON.parse(await type(init)) as {
      users: { user_id: string; api_key_file: string }[];
    };
    const [{ user_id, api_key_file }] = users as [(typeof users)[number]];
    const api_key = readFileSync(api_key_file, 'utf8').trim();
    expect(existsSync(join(folder, 'genesis.json'))).toBe(true);
    const roleUrls = {
      gateway: urlAs(GATEWAY),
      ...Object.fromEntries(
        ['party_1', 'party_2', 'party_3', 'notifier', 'auditor'].map((role) => [
          role,
          urlAs(`countersign_${role}`),
        ]),
      ),
    } as PreparedVault['roleUrls'];
    prepared = {
      home: folder,
      roleUrls,
      evidenceKeyFile: join(folder, 'evidence.key'),
      webhookKeysFile: join(folder, 'webhook-keys.json'),
      admin: { user_id, api_key, private_key_file: join(folder, 'ada.pem') },
      genesisFile: join(folder, 'genesis.json'),
      pinFile: (name) => join(folder, `${name}-pin.json`),
      keyDir: (party) => join(folder, `keys-${party}`),
    };
    await type(blocksOf(CONFIGURE, 'sh')[0]!.split('\n')[0]!);
  });

  it('signs, and each process is a user of its own in Redis', async () => {
    const users = blocksOf(CONFIGURE, '')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('user ') && !line.startsWith('user default'))
      .map((line) => line.replace('PASSWORD', PASSWORD).split(' ').slice(1));
    for (const [name, ...rules] of users) await asked.call('ACL', 'SETUSER', name!, ...rules);
    const optionsOf = (user: string): StackOptions => {
      const url = new URL(redis.url);
      Object.assign(url, { username: user, password: PASSWORD });
      return { vault: prepared as PreparedVault, redisUrl: url.toString(), logLevel: 'info' };
    };
    processes.push(
      ...(await Promise.all([
        startGateway(optionsOf('gateway'), 0, 'gateway'),
        ...PARTIES.map((party) => {
          const kekFile = join(folder, `kek-${party}`, 'kek.key');
          return startSigner({ ...optionsOf(`party_${party}`), kekFile }, party);
        }),
      ])),
    );
    const baseUrl = `http://127.0.0.1:${processes[0]!.port}`;
    await waitHealthy(baseUrl);
    vault = useVault({
      servers: { ownerUrl: urlAs(), roleUrls: prepared.roleUrls },
      prepared,
      baseUrl,
      issuer: '',
    });
    const wallet = await vault.createWallet();
    const message = Buffer.from('the first').toString('base64');
    await expectOk(vault.admin, 'POST', `${wallet.path}/raw-sign`, { message });
    await expectOk(vault.admin, 'POST', '/v1/system/freeze', {});
    await vault.close();
    // key generation, freezes, batches, answers, presence, nonces
    const refused = processes.filter((one) => /NOPERM|permission/i.test(one.output()));
    expect(refused.map((one) => [one.name, one.output()])).toEqual([]);
  });

  it.each([
    ['party_1', ['SET', 'countersign:key-progress:1', '1'], 'OK'],
    ['party_1', ['ZADD', 'bull:countersign.sign.party_1.b:prioritized', '1', 'x'], 'OK'],
    ['party_1', ['GET', 'countersign:prices:prices-a'], 'OK'],
    ['prices-a', ['SET', 'countersign:prices:prices-a', '1'], 'OK'],
    [
      'party_2',
      ['ZADD', 'bull:countersign.sign.party_1.a:prioritized', '1', 'x'],
      'no permissions',
    ],
    ['party_2', ['SET', 'countersign:nonce:1', '1'], 'no permissions'],
    ['party_2', ['SET', 'countersign:prices:prices-a', '1'], 'no permissions'],
    ['party_2', ['FLUSHALL'], 'no permissions'],
    ['gateway', ['CONFIG', 'GET', 'x'], 'no permissions'],
    ['prices-a', ['SET', 'countersign:prices:prices-b', '1'], 'no permissions'],
    ['prices-a', ['GET', 'countersign:presence'], 'no permissions'],
  ])('%s: %j is answered with %s', async (user, command, answer) => {
    expect(await asked.call('ACL', 'DRYRUN', user, ...command)).toMatch(answer);
  });

  it('has webhook keys as the page makes them', () => {
    expect(JSON.parse(readFileSync(prepared.webhookKeysFile, 'utf8'))).toMatchObject({
      keys: [expect.anything()],
    });
  });
});
