/** Two real Redis servers and three Sentinels, as Debian packages them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../infra/dev/dist/embedded/server-process.js';
import { eventually } from '../../../test/support/test-vault.ts';
import { end, isOpen } from './haproxy.ts';

export const REDIS_PASSWORD = 'drill';
/** A Sentinel believes a server gone that has said nothing for so long. */
const DOWN_AFTER_MS = 2_000;

export interface RedisPair {
  readonly ports: readonly [number, number];
  /** Ends the first server at once, as a machine that loses its power. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export async function openRedisPair(home: string): Promise<RedisPair> {
  const [first, second] = [await findFreePort(), await findFreePort()];
  const servers = [
    await startRedis(home, first, []),
    await startRedis(home, second, [`replicaof 127.0.0.1 ${first}`]),
  ];
  const sentinels: ChildProcess[] = [];
  for (let count = 0; count < 3; count++) sentinels.push(await startSentinel(home, first));
  return {
    ports: [first, second],
    async crash() {
      servers[0]!.kill('SIGKILL');
    },
    async stop() {
      for (const child of [...sentinels, ...servers]) await end(child);
    },
  };
}

async function startRedis(
  home: string,
  port: number,
  more: readonly string[],
): Promise<ChildProcess> {
  const dir = join(home, `redis-${port}`);
  mkdirSync(dir, { recursive: true });
  const config = [
    ...['bind 127.0.0.1', `port ${port}`, `dir ${dir}`, 'maxmemory-policy noeviction'],
    ...['appendonly yes', 'appendfsync everysec', 'save ""'],
    ...[`requirepass ${REDIS_PASSWORD}`, `masterauth ${REDIS_PASSWORD}`, ...more],
  ];
  writeFileSync(join(dir, 'redis.conf'), `${config.join('\n')}\n`);
  return started('redis-server', join(dir, 'redis.conf'), port);
}

async function startSentinel(home: string, primary: number): Promise<ChildProcess> {
  const port = await findFreePort();
  const file = join(home, `sentinel-${port}.conf`);
  const config = [
    ...['bind 127.0.0.1', `port ${port}`, `dir ${home}`],
    `sentinel monitor vault 127.0.0.1 ${primary} 2`,
    `sentinel auth-pass vault ${REDIS_PASSWORD}`,
    `sentinel down-after-milliseconds vault ${DOWN_AFTER_MS}`,
    'sentinel failover-timeout vault 10000',
  ];
  writeFileSync(file, `${config.join('\n')}\n`);
  return started('redis-sentinel', file, port);
}

async function started(program: string, file: string, port: number): Promise<ChildProcess> {
  const child = spawn(program, [file], { stdio: 'ignore' });
  await eventually(() => isOpen(port));
  return child;
}
