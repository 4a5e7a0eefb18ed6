import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDebianServer } from './debian-redis.js';
import { withFolderLock } from './folder-lock.js';
import {
  openPrivateFolder,
  readIfPresent,
  readOrCreatePassword,
  writePrivateFile,
} from './private-folder.js';
import {
  type LogLine,
  type StopStep,
  describeProcess,
  endProcess,
  findFreePort,
  retryStart,
  startServerProcess,
  succeeds,
} from './server-process.js';

/** Where the server program came from: PATH, or packages of this Debian or Ubuntu. */
export type RedisRung = 'path' | 'debian';

/** A running Redis or Valkey that listens on 127.0.0.1 only. */
export interface EmbeddedRedis {
  /** URL with the password. */
  url: string;
  port: number;
  pid: number;
  rung: RedisRung;
  /** Orderly shutdown; resolves when the server is gone. May be called more than once. */
  stop(): Promise<void>;
}

export interface EmbeddedRedisOptions {
  /** Folder for data, configuration, password and unpacked packages; made when missing. */
  dataDir: string;
  /**
   * Keep the data in an append-only file, synced every second. True by default; false forgets all
   * data when the server stops, so only for tests that do not test durability.
   */
  appendonly?: boolean;
  /** Folder for unpacked packages, where several servers share them; `dataDir` by default. */
  packagesDir?: string;
  log?: LogLine;
  /** Environment for the programs it runs, PATH above all; that of this process by default. */
  env?: NodeJS.ProcessEnv;
}

interface Store {
  folder: string;
  packages: string;
  /** `<folder>/data`, the working folder of the server. */
  data: string;
  password: string;
  appendonly: boolean;
  log: LogLine;
  env: NodeJS.ProcessEnv;
}

/** What `redis.pid` says, one value a line. */
interface PidRecord {
  pid: number;
  port: number;
  rung: RedisRung;
}

interface ServerProgram {
  rung: RedisRung;
  file: string;
  env: NodeJS.ProcessEnv;
}

const READY_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 10_000;
const SERVER_NAMES = ['valkey-server', 'redis-server'];
const STOP_STEPS: readonly StopStep[] = [
  ['SIGTERM', 30_000],
  ['SIGKILL', 5000],
];
const NO_SERVER =
  'No Redis found: set REDIS_URL, or install one ' +
  '(apt install valkey-server | brew install valkey | dnf install valkey | apk add valkey)';

/**
 * Starts a Redis or Valkey on a random free port of 127.0.0.1, with a random password and
 * `noeviction`. The program is the one on PATH, or else comes from the packages of this Debian or
 * Ubuntu, unpacked without root. A server that still runs on this folder because its parent was
 * killed is adopted if it answers to the password, and ended otherwise.
 *
 * Several processes may call this at once on one folder: the first starts the server, the others
 * adopt it.
 *
 * Throws an Error with one line of advice when there is no server program, or with the last 8 kB
 * of log when the server does not start within 60 s.
 */
export async function openEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const { appendonly = true, log = () => {}, env = process.env } = options;
  const folder = await openPrivateFolder(options.dataDir);
  return withFolderLock(join(folder, 'redis.lock'), async () => {
    const data = await openPrivateFolder(join(folder, 'data'));
    const password = await readOrCreatePassword(join(folder, 'redis.pw'));
    const packages = await openPrivateFolder(options.packagesDir ?? folder);
    const store = { folder, packages, data, password, appendonly, log, env };
    return (await adoptRunning(store)) ?? (await startOn(store));
  });
}

async function adoptRunning(store: Store): Promise<EmbeddedRedis | undefined> {
  const record = await readPidRecord(store.folder);
  if (record === undefined || !(await isRedisOn(record, store))) return undefined;
  const end = (): Promise<void> => endRedis(record, store);
  if (!(await answersAsOurs(record, store))) {
    store.log(`redis ${record.pid} runs on ${store.folder} but does not answer: ending it`);
    await end();
    return undefined;
  }
  store.log(`redis ${record.pid} is already running on ${store.folder}: adopted`);
  return describeServer(record, store, end);
}

async function endRedis(record: PidRecord, store: Store): Promise<void> {
  const isRunning = (): Promise<boolean> => isRedisOn(record, store);
  await endProcess({ name: 'redis', pid: record.pid, isRunning, steps: STOP_STEPS });
}

/**
 * Whether this pid is still the server. Once it runs, Redis works in its data folder and shows its
 * address instead of its command line.
 */
async function isRedisOn({ pid, port }: PidRecord, { folder, data }: Store): Promise<boolean> {
  const found = await describeProcess(pid);
  if (found === undefined || !/redis|valkey/.test(found.command)) return false;
  const marks = [`127.0.0.1:${port}`, configPath(folder)];
  return found.cwd === data || marks.some((mark) => found.command.includes(mark));
}

/** Logs in and compares the pid; also turns the append-only file on if it is wanted and off. */
async function answersAsOurs({ pid, port }: PidRecord, store: Store): Promise<boolean> {
  const { Redis } = await import('ioredis');
  const client = new Redis({
    host: '127.0.0.1',
    port,
    password: store.password,
    lazyConnect: true,
    connectTimeout: ANSWER_TIMEOUT_MS,
    commandTimeout: ANSWER_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  client.on('error', () => {}); // the calls below report it
  try {
    await client.connect();
    await client.ping();
    const info = await client.info('server');
    if (store.appendonly) await client.config('SET', 'appendonly', 'yes');
    return info.includes(`process_id:${pid}\r\n`);
  } catch (error) {
    store.log(`redis ${pid}: ${String(error)}`);
    return false;
  } finally {
    client.disconnect();
  }
}

async function startOn(store: Store): Promise<EmbeddedRedis> {
  const program = await findProgram(store);
  return retryStart(
    async () => startServer(store, program, await findFreePort()),
    (error) => /Address already in use|Failed listening on port/.test(String(error)),
  );
}

/** The ladder. There is no imitation in JavaScript at its end: the queues need the real one. */
async function findProgram({ packages, env, log }: Store): Promise<ServerProgram> {
  for (const file of SERVER_NAMES) {
    if (await succeeds({ file, args: ['--version'], env })) return { rung: 'path', file, env };
  }
  try {
    return { rung: 'debian', ...(await openDebianServer(packages, env, log)) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    log(`Redis from system packages: ${reason}`);
    throw new Error(NO_SERVER, { cause });
  }
}

async function startServer(
  store: Store,
  { rung, file, env }: ServerProgram,
  port: number,
): Promise<EmbeddedRedis> {
  const config = configPath(store.folder);
  await writePrivateFile(config, configText(store, port));
  const server = await startServerProcess({
    name: 'redis',
    command: { file, args: [config], env },
    readyText: 'Ready to accept connections',
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopSteps: STOP_STEPS,
    log: store.log,
    // At once and synchronously: if we are killed now, the next start must find this server.
    onSpawn: (pid) => writeFileSync(pidPath(store.folder), `${pid}\n${port}\n${rung}\n`),
  });
  return describeServer({ pid: server.pid, port, rung }, store, server.stop);
}

function describeServer(
  { pid, port, rung }: PidRecord,
  { folder, password }: Store,
  end: () => Promise<void>,
): EmbeddedRedis {
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await end();
    // A newer server may have written its own record meanwhile.
    if ((await readPidRecord(folder))?.pid === pid) await rm(pidPath(folder), { force: true });
  };
  const url = `redis://:${password}@127.0.0.1:${port}`;
  return { url, port, pid, rung, stop: () => (stopping ??= stop()) };
}

function configText({ data, password, appendonly }: Store, port: number): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    'protected-mode yes',
    `requirepass ${password}`,
    `dir ${JSON.stringify(data)}`,
    'maxmemory-policy noeviction',
    `appendonly ${appendonly ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'save ""',
    'daemonize no',
    '',
  ].join('\n');
}

async function readPidRecord(folder: string): Promise<PidRecord | undefined> {
  const text = await readIfPresent(pidPath(folder));
  const [pid, port, rung] = text?.split('\n') ?? [];
  if (!pid || !port) return undefined;
  return { pid: Number(pid), port: Number(port), rung: rung === 'path' ? 'path' : 'debian' };
}

function pidPath(folder: string): string {
  return join(folder, 'redis.pid');
}

function configPath(folder: string): string {
  return join(folder, 'redis.conf');
}
