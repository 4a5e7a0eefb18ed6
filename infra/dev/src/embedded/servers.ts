import { join } from 'node:path';
import { type PostgresSettings, openEmbeddedPostgres } from './postgres.js';
import { openPrivateFolder } from './private-folder.js';
import { openEmbeddedRedis } from './redis.js';
import type { LogLine } from './server-process.js';

/** PostgreSQL and Redis, each either the one named by a URL or one of our own. */
export interface Servers {
  databaseUrl: string;
  redisUrl: string;
  /** Which of the two we run. */
  embedded: { postgres: boolean; redis: boolean };
  /** Stops the servers that we run and leaves the others alone. */
  stop(): Promise<void>;
}

export interface ServersOptions {
  /** Private folder (0700, made when missing) for everything the servers keep. */
  home: string;
  /** A URL that is missing or empty means: run one ourselves. */
  env: { DATABASE_URL?: string | undefined; REDIS_URL?: string | undefined };
  settings?: PostgresSettings;
  log: LogLine;
}

interface OpenServer {
  url: string;
  embedded: boolean;
  stop(): Promise<void>;
}

/**
 * Opens both servers in parallel. When one fails the other is stopped again, and the Error of the
 * failed one is thrown (an AggregateError when both failed).
 */
export async function openServers(options: ServersOptions): Promise<Servers> {
  const { env, settings = 'durable' } = options;
  const home = await openPrivateFolder(options.home);
  const logAs =
    (name: string): LogLine =>
    (line) =>
      options.log(`${name}: ${line}`);
  const opening = [
    openUnlessGiven(env.DATABASE_URL, () =>
      openEmbeddedPostgres({ dataDir: home, settings, log: logAs('postgres') }),
    ),
    openUnlessGiven(env.REDIS_URL, () =>
      openEmbeddedRedis({ dataDir: join(home, 'redis'), log: logAs('redis') }),
    ),
  ] as const;
  const results = await Promise.allSettled(opening);
  const [postgres, redis] = results;
  if (postgres.status === 'fulfilled' && redis.status === 'fulfilled') {
    return describeServers(postgres.value, redis.value);
  }
  for (const result of results) if (result.status === 'fulfilled') await result.value.stop();
  throw joinErrors(
    results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  );
}

async function openUnlessGiven(
  url: string | undefined,
  open: () => Promise<{ url: string; stop(): Promise<void> }>,
): Promise<OpenServer> {
  if (url) return { url, embedded: false, stop: async () => {} };
  return { ...(await open()), embedded: true };
}

function describeServers(postgres: OpenServer, redis: OpenServer): Servers {
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    embedded: { postgres: postgres.embedded, redis: redis.embedded },
    stop: async () => {
      const results = await Promise.allSettled([postgres.stop(), redis.stop()]);
      const errors = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason] : [],
      );
      if (errors.length > 0) throw joinErrors(errors);
    },
  };
}

function joinErrors(errors: unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  return new AggregateError(errors, errors.map((error) => String(error)).join('\n'));
}
