/** A vault to measure, with servers of its own, in a temporary home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Servers } from '@countersign/dev/embedded/servers.js';
import type { Stack } from '@countersign/dev/stack/open-stack.js';
import type { PreparedVault } from '@countersign/dev/stack/prepare-vault.js';
import { parentOf, type ProcessGroups } from './process-times.js';
import { openWorkReader, type WorkReader } from './server-work.js';

/** The repository's folder: this file is built to `workshop/dist/bench/`. */
export const OWN_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface OpenVault {
  readonly vault: PreparedVault;
  readonly stack: Stack;
  readonly port: number;
  readonly groups: ProcessGroups;
  readonly servers: WorkReader;
  /** How long it took from nothing running to healthy. */
  readonly startMs: number;
}

export interface BenchHome {
  /** Starts everything, once. Throws with nothing left running. */
  open(): Promise<OpenVault>;
  /** Of a vault that is only being opened: what of it has been started. */
  stop(): Promise<void>;
  remove(): void;
}

/** What a vault holds before any of its processes is started. `databaseUrl`: the owner's. */
export interface Filling {
  fill(databaseUrl: string, vault: PreparedVault): Promise<void>;
  /** Of gateway and parties, which fold what was filled in. */
  readonly readyTimeoutMs: number;
}

interface HomeSettings {
  /** A commit that is built: its programs run, started by its own starter. This one by default. */
  readonly root?: string;
  /** Node's options for gateway and parties. */
  readonly execArgv?: readonly string[];
  readonly filling?: Filling | undefined;
}

/** What runs, the newest last. */
type Running = (() => Promise<void>)[];

export function createBenchHome(settings: HomeSettings = {}): BenchHome {
  const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const running: Running = [];
  let stopping = Promise.resolve();
  // one after the other: who is second waits for what the first has begun to end
  const stop = () =>
    (stopping = stopping.then(async () => {
      for (let end = running.pop(); end !== undefined; end = running.pop()) await end();
    }));
  return {
    async open() {
      try {
        return await openVault(home, settings, running);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

async function openVault(
  home: string,
  { root = OWN_ROOT, execArgv = [], filling }: HomeSettings,
  running: Running,
): Promise<OpenVault> {
  const { openServers, prepareDatabase, prepareVault, openStack } = await starterOf(root);
  const startedAt = performance.now();
  const servers = await openServers({ home, env: {}, log: () => undefined });
  running.push(() => servers.stop());
  const vault = await prepareVault(home, await prepareDatabase(home, servers.databaseUrl));
  await filling?.fill(servers.databaseUrl, vault);
  const options = {
    vault,
    redisUrl: servers.redisUrl,
    logLevel: 'warn',
    execArgv: [...execArgv],
    onOutput: (line: string) => void process.stderr.write(line),
    ...(filling !== undefined && { readyTimeoutMs: filling.readyTimeoutMs }),
  };
  const stack = await openStack(options, 0);
  running.push(() => stack.stop());
  const startMs = performance.now() - startedAt;
  const reader = await openWorkReader(servers);
  running.push(() => reader.close());
  const groups = await processGroups(stack, servers);
  return { vault, stack, port: stack.gateway.port!, groups, servers: reader, startMs };
}

async function starterOf(root: string) {
  const load = (name: string) =>
    import(pathToFileURL(join(root, 'infra/dev/dist', name)).href) as Promise<unknown>;
  const [servers, prepared, stack] = await Promise.all([
    load('embedded/servers.js'),
    load('stack/prepare-vault.js'),
    load('stack/open-stack.js'),
  ]);
  return {
    ...(servers as typeof import('@countersign/dev/embedded/servers.js')),
    ...(prepared as typeof import('@countersign/dev/stack/prepare-vault.js')),
    ...(stack as typeof import('@countersign/dev/stack/open-stack.js')),
  };
}

async function processGroups(stack: Stack, servers: Servers): Promise<ProcessGroups> {
  const parties = stack.signers.map(({ pid }, at) => [`party ${at + 1}`, { pids: [pid] }] as const);
  const redis = new Redis(servers.redisUrl);
  const info = await redis.info('server');
  redis.disconnect();
  const client = new pg.Client({ connectionString: servers.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = (await parentOf(rows[0]?.pid ?? 0)) ?? 0;
  await client.end();
  return {
    gateway: { pids: [stack.gateway.pid] },
    ...Object.fromEntries(parties),
    redis: { pids: [Number(/^process_id:(\d+)/m.exec(info)?.[1] ?? 0)] },
    postgres: { pids: [postmaster], withChildren: true },
  };
}
