/** Starts a Redis again on the folder and the port that it had: what a supervisor does after a crash. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { openDebianServer } from '../../infra/dev/dist/embedded/debian-redis.js';
import { succeeds } from '../../infra/dev/dist/embedded/server-process.js';
import { eventually } from './test-vault.ts';
import type { TestServers } from './test-servers.ts';

export interface RestartedRedis {
  stop(): Promise<void>;
}

/** The one that `servers` opened must have ended. */
export async function restartRedis({ redis, home }: TestServers): Promise<RestartedRedis> {
  const { file, env } = await findProgram(redis.rung);
  const child = spawn(file, [join(home, 'redis', 'redis.conf')], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await eventually(() => answers(redis.url));
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function findProgram(
  rung: 'path' | 'debian',
): Promise<{ file: string; env: NodeJS.ProcessEnv }> {
  const { env } = process;
  if (rung === 'debian') {
    return openDebianServer(env['COUNTERSIGN_TEST_PACKAGES'] ?? '', env, () => undefined);
  }
  const hasValkey = await succeeds({ file: 'valkey-server', args: ['--version'], env });
  return { file: hasValkey ? 'valkey-server' : 'redis-server', env };
}

async function answers(url: string): Promise<boolean> {
  const client = openTestRedis(url);
  try {
    return (await client.ping()) === 'PONG';
  } catch {
    return false; // not up yet, or still reading its data
  } finally {
    client.disconnect();
  }
}

/** Full access to the vault's Redis, as whoever holds its password has. */
export function openTestRedis(url: string): Redis {
  const client = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined); // the commands tell it
  return client;
}
