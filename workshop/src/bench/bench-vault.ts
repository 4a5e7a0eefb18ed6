/** A vault to measure: servers, processes, callers and wallets, in a temporary home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { valueOf } from '@countersign/client/call-result.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import { openServers, type Servers } from '@countersign/dev/embedded/servers.js';
import { openStack, type Stack } from '@countersign/dev/stack/open-stack.js';
import {
  prepareDatabase,
  prepareVault,
  type PreparedVault,
} from '@countersign/dev/stack/prepare-vault.js';
import { probeArguments } from './inside.js';
import { adminClient, createCallers } from './bench-callers.js';
import type { LoadCaller } from './load-job.js';
import { parentOf, type ProcessGroups } from './process-times.js';
import { openWorkReader, type WorkReader } from './server-work.js';

const WALLETS = 16;

export interface BenchServers {
  readonly DATABASE_URL?: string | undefined;
  readonly REDIS_URL?: string | undefined;
}

export interface OpenVault {
  readonly vault: PreparedVault;
  readonly stack: Stack;
  readonly port: number;
  readonly groups: ProcessGroups;
  readonly servers: WorkReader;
  /** Where processes tell what goes on inside them; undefined where they do not. */
  readonly insideFolder: string | undefined;
  /** How long it took from nothing running to healthy. */
  readonly startMs: number;
  stop(): Promise<void>;
}

export interface BenchHome {
  /** Starts everything; again after a stop, on the same data. Throws with nothing left running. */
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
  readonly env: BenchServers;
  readonly execArgv: readonly string[];
  readonly insideFolder: string | undefined;
  readonly filling: Filling | undefined;
}

/** What runs, the newest last. */
type Running = (() => Promise<void>)[];

/** A vault with `filling` can be opened once. */
export function createBenchHome(
  env: BenchServers,
  execArgv: readonly string[],
  looksInside = false,
  filling?: Filling,
): BenchHome {
  const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const insideFolder = looksInside ? home : undefined;
  const running: Running = [];
  const stop = async () => {
    for (let end = running.pop(); end !== undefined; end = running.pop()) await end();
  };
  return {
    async open() {
      try {
        const parts = await openVault(home, { env, execArgv, insideFolder, filling }, running);
        return { ...parts, stop };
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
  { env, execArgv, insideFolder, filling }: HomeSettings,
  running: Running,
): Promise<Omit<OpenVault, 'stop'>> {
  const startedAt = performance.now();
  const servers = await openServers({ home, env, log: () => undefined });
  running.push(() => servers.stop());
  const roleUrls = await prepareDatabase(home, servers.databaseUrl);
  const vault = await prepareVault(home, roleUrls);
  await filling?.fill(servers.databaseUrl, vault);
  const stack = await openStack(
    {
      vault,
      redisUrl: servers.redisUrl,
      logLevel: 'warn',
      execArgv: [...execArgv, ...(insideFolder === undefined ? [] : probeArguments(insideFolder))],
      onOutput: (line) => process.stderr.write(line),
      ...(filling !== undefined && { readyTimeoutMs: filling.readyTimeoutMs }),
    },
    0,
  );
  running.push(() => stack.stop());
  const startMs = performance.now() - startedAt;
  const reader = await openWorkReader(servers);
  running.push(() => reader.close());
  const groups = await processGroups(stack, servers);
  return {
    vault,
    stack,
    port: stack.gateway.port!,
    groups,
    servers: reader,
    insideFolder,
    startMs,
  };
}

/** Of servers on another machine the figures say nothing. */
async function processGroups(stack: Stack, servers: Servers): Promise<ProcessGroups> {
  const groups: Record<string, { pids: number[]; withChildren?: boolean }> = {
    gateway: { pids: [stack.gateway.pid] },
  };
  stack.signers.forEach((signer, index) => (groups[`party ${index + 1}`] = { pids: [signer.pid] }));
  const redis = new Redis(servers.redisUrl);
  const info = await redis.info('server');
  redis.disconnect();
  groups['redis'] = { pids: [Number(/^process_id:(\d+)/m.exec(info)?.[1] ?? 0)] };
  const client = new pg.Client({ connectionString: servers.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = (await parentOf(rows[0]?.pid ?? 0)) ?? 0;
  await client.end();
  groups['postgres'] = { pids: [postmaster], withChildren: true };
  return groups;
}

export interface Traffic {
  readonly callers: readonly LoadCaller[];
  /** raw-sign paths. */
  readonly targets: readonly string[];
}

/** Callers who may raw-sign with each of the wallets. `purpose`: once for each vault. */
export async function prepareTraffic(
  { vault, stack }: OpenVault,
  purpose: string,
): Promise<Traffic> {
  const client = adminClient(vault, stack);
  try {
    const callers = await createCallers(client, purpose);
    const { id: vaultId } = valueOf(
      await client.call('create-vault', { body: { display_name: purpose } }),
    );
    const wallets = await Promise.all(
      Array.from({ length: WALLETS }, () => createWallet(client, vaultId)),
    );
    const members = wallets.map(({ id }) => ({ member_id: id, member_type: 'wallet' as const }));
    const group = valueOf(
      await client.call('create-security-group', {
        body: { display_name: purpose, vault_ids: [vaultId], members },
      }),
    );
    const initiators = { user_ids: callers.map((caller) => caller.id) };
    const rule = {
      display_name: 'callers may sign',
      when: { operations: ['raw_sign'], initiators },
      then: 'allow',
    } as const;
    valueOf(
      await client.call('create-signing-policy', {
        body: { display_name: purpose, security_group_id: group.id, rules: [rule] },
      }),
    );
    return {
      callers,
      targets: wallets.map(({ address }) => `/v1/vaults/${vaultId}/wallets/${address}/raw-sign`),
    };
  } finally {
    client.close();
  }
}

async function createWallet(client: CountersignClient, vaultId: string) {
  return valueOf(
    await client.call('create-wallet', {
      params: { vault_id: vaultId },
      body: { network_family: 'solana' },
    }),
  );
}
