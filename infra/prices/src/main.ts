/** The relay of prices: asks its sources, and publishes signed snapshots until it is told to stop. It listens on nothing. */
import { Redis } from 'ioredis';
import { openMetrics } from '@countersign/runtime/metrics/metrics-server.js';
import { createLogger, type Logger } from '@countersign/runtime/process/logger.js';
import { openProcessLife } from '@countersign/runtime/process/process-life.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import { priceKey } from '@countersign/runtime/prices/price-feed.js';
import { createPriceRelay, readPriceKey } from './price-relay.js';
import { relayMetrics } from './relay-metrics.js';
import { readSource } from './read-source.js';
import { readConfig } from '@countersign/runtime/process/config.js';
import { relayVariables, type RelayConfig } from '@countersign/runtime/settings/relay-config.js';
import { readRelaySources } from './relay-sources.js';

const STOP_WITHIN_MS = 10_000;
const COMMAND_TIMEOUT_MS = 2_000;

async function main(config: RelayConfig): Promise<void> {
  const logger = createLogger('prices', config.LOG_LEVEL);
  const life = openProcessLife(logger, STOP_WITHIN_MS);
  const sources = readRelaySources(config.PRICE_SOURCES_FILE);
  const redis = openRedis(config.REDIS_URL, logger);
  life.onStop(() => redis.disconnect());
  const relay = createPriceRelay({
    sources,
    privateKey: readPriceKey(config.PRICE_KEY_FILE),
    read: readSource,
    publish: (snapshot) => redis.set(priceKey(sources.relay), snapshot),
    logger,
    now: Date.now,
  });
  await relayOrLog();
  const stop = repeat(relayOrLog, sources.every_s * 1_000);
  life.onStop(stop);
  await openMetrics(config, { logger, life }, [relayMetrics(relay, Date.now)]);
  logger.info({ event: 'ready', relay: sources.relay }, 'relay of prices ready');
  process.send?.({ event: 'ready' });

  async function relayOrLog(): Promise<void> {
    try {
      await relay.relay();
    } catch (error) {
      logger.warn({ event: 'not_published', reason: String(error) }, 'prices not published');
    }
  }
}

/** One run at a time: the next begins so long after the last has ended. Returns what stops it. */
function repeat(run: () => Promise<void>, everyMs: number): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const plan = () => {
    if (isStopped) return;
    timer = setTimeout(() => void run().then(plan), everyMs);
  };
  plan();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

function openRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
  redis.on('error', (error: Error) =>
    logger.warn({ event: 'redis_error', reason: error.message }, 'Redis connection error'),
  );
  return redis;
}

void runProgram('prices', process.env, (environment) =>
  main(readConfig(relayVariables, environment)),
);
