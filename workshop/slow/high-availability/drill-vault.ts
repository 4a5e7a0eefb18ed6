/** A vault as a careful operator has it: databases and Redis in pairs, and two gateways, all behind HAProxy. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openStack,
  startGateway,
  type StackOptions,
} from '../../../infra/dev/dist/stack/open-stack.js';
import { prepareDatabase, prepareVault } from '../../../infra/dev/dist/stack/prepare-vault.js';
import { findFreePort } from '../../../infra/dev/dist/embedded/server-process.js';
import type { VaultProcess } from '../../../infra/dev/dist/stack/vault-process.js';
import {
  restartableNodes,
  type RestartableNodes,
} from '../../../test/support/restartable-nodes.ts';
import { query } from '../../../test/support/signing-load.ts';
import { openTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { eventually, useVault, type TestVault } from '../../../test/support/test-vault.ts';
import { openDatabasePair, type DatabasePair } from './database-pair.ts';
import { startHaproxy, type HaproxyService } from './haproxy.ts';
import { openRedisPair, REDIS_PASSWORD, type RedisPair } from './redis-sentinel.ts';

/** How long a gateway serves on after SIGTERM, s: longer than HAProxy takes to notice. */
const DRAIN_S = 3;

export interface DrillVault {
  readonly vault: TestVault;
  readonly nodes: RestartableNodes;
  readonly databases: DatabasePair;
  readonly redis: RedisPair;
  /** Where the standby's connection to the primary can be cut. */
  readonly wire: TcpProxy;
  /** The second gateway. */
  other(): VaultProcess;
  startOther(): Promise<void>;
  close(): Promise<void>;
}

type Stop = () => Promise<unknown>;

/** Rejects with nothing left running. */
export async function openDrillVault(): Promise<DrillVault> {
  const stops: Stop[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  try {
    return { ...(await open(stops)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(stops: Stop[]): Promise<Omit<DrillVault, 'close'>> {
  const home = mkdtempSync(join(tmpdir(), 'countersign-drill-'));
  stops.push(async () => rmSync(home, { recursive: true, force: true }));
  let wire: TcpProxy;
  const databases = await openDatabasePair(subfolder(home, 'databases'), async (port) => {
    wire = await openTcpProxy(`postgres://127.0.0.1:${port}`);
    stops.push(() => wire.close());
    return Number(new URL(wire.url).port);
  });
  stops.push(() => databases.close());
  const redis = await openRedisPair(home);
  stops.push(() => redis.stop());
  const gatewayPorts = [await findFreePort(), await findFreePort()] as const;
  const haproxy = await startHaproxy(home, [
    postgresService(databases),
    redisService(redis),
    gatewayService(gatewayPorts),
  ]);
  stops.push(() => haproxy.stop());
  await query(databases.primary.url, 'CREATE DATABASE countersign');
  const ownerUrl = databases.primary.url
    .replace(`:${databases.primary.port}/`, `:${haproxy.portOf('postgres')}/`)
    .replace(/postgres$/, 'countersign');
  await eventually(() => query(ownerUrl, 'SELECT 1').catch(() => undefined));
  const roleUrls = await prepareDatabase(join(home, 'vault'), ownerUrl);
  const prepared = await prepareVault(join(home, 'vault'), roleUrls);
  const options: StackOptions = {
    vault: prepared,
    redisUrl: `redis://:${REDIS_PASSWORD}@127.0.0.1:${haproxy.portOf('redis')}`,
    ...{ logLevel: 'info', anchorEveryS: 3_600, drainS: DRAIN_S },
  };
  const stack = await openStack(options, gatewayPorts[0]);
  stops.push(() => stack.stop());
  let other = await startGateway(options, gatewayPorts[1], 'gateway-b');
  const baseUrl = `http://127.0.0.1:${haproxy.portOf('gateways')}`;
  const inUse = useVault({ servers: { ownerUrl, roleUrls }, prepared, baseUrl, issuer: '' });
  const vault = { ...inUse, servers: { ownerUrl, roleUrls }, prepared, stack, options };
  const nodes = restartableNodes(vault as unknown as TestVault);
  stops.push(async () => {
    await inUse.close();
    await Promise.all([other.stop(), nodes.stopAll()]);
  });
  return {
    ...{ vault: vault as unknown as TestVault, nodes, databases, redis, wire: wire! },
    other: () => other,
    async startOther() {
      other = await startGateway(options, gatewayPorts[1], 'gateway-b');
    },
  };
}

function subfolder(home: string, name: string): string {
  mkdirSync(join(home, name), { mode: 0o700 });
  return join(home, name);
}

const WATCHED = 'default-server inter 500ms fall 3 rise 1 on-marked-down shutdown-sessions';

/** An agent beside each server says which is the primary one. */
function postgresService({ primary, standby }: DatabasePair): HaproxyService {
  const servers = [primary, standby].map(
    ({ name, port, agentPort }) => `server ${name} 127.0.0.1:${port} check port ${agentPort}`,
  );
  return {
    ...{ name: 'postgres', mode: 'tcp' },
    lines: ['option httpchk GET /primary', WATCHED, ...servers],
  };
}

/** Redis itself says which of them Sentinel has made the primary one. */
function redisService({ ports }: RedisPair): HaproxyService {
  return {
    ...{ name: 'redis', mode: 'tcp' },
    lines: [
      'option tcp-check',
      `tcp-check send AUTH\\ ${REDIS_PASSWORD}\\r\\n`,
      'tcp-check expect string +OK',
      'tcp-check send INFO\\ replication\\r\\n',
      'tcp-check expect string role:master',
      WATCHED,
      ...ports.map((port, index) => `server redis-${index + 1} 127.0.0.1:${port} check`),
    ],
  };
}

/**
 * A request that no gateway took may go to another; one that was sent is never sent again. Where none is ready, each is
 * asked all the same: it answers as the API says, and freezes.
 */
function gatewayService(ports: readonly number[]): HaproxyService {
  return {
    ...{ name: 'gateways', mode: 'http' },
    lines: [
      'option httpchk GET /health/ready',
      'option redispatch',
      'retries 2',
      'retry-on conn-failure',
      'default-server inter 500ms fall 3 rise 1',
      'option allbackups',
      ...ports.map((port, index) => `server gateway-${index + 1} 127.0.0.1:${port} check`),
      ...ports.map((port, index) => `server gateway-${index + 1}-any 127.0.0.1:${port} backup`),
    ],
  };
}
