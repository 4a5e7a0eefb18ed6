/** The gateway process: reads its configuration, builds everything, serves until told to stop. */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import { openReply } from '@countersign/runtime/jobs/sign-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { openLedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { openProcessLife } from '@countersign/runtime/process/process-life.js';
import { createRefusalRecorder } from './refusals/refusal-recorder.js';
import { createNonceStore } from './authentication/nonce-store.js';
import { readGatewayConfig, type GatewayConfig } from './config.js';
import { createApp } from './app/create-app.js';
import { closeServer } from './http/close-server.js';
import { createFastServer } from './http/fast-server.js';
import { createJournal } from './ledger/journal.js';
import { createDocuments } from './openapi/documents.js';
import { createCursors } from './reads/cursor.js';
import { warnOfEviction } from './redis/redis-eviction.js';
import { openCommandRedis, openSubscriberRedis } from './redis/redis-connections.js';
import { createKeyProgressReader } from './requests/key-progress-reader.js';
import { createIdempotencyStore } from './requests/idempotency.js';
import { createDispatcher } from './signing/dispatcher.js';
import { openPresence } from './signing/presence.js';
import { createSignQueues } from './signing/sign-queues.js';
import { createSigningRequests } from './signing/signing-requests.js';
import { openSweeper } from './signing/sweeper.js';
import { createLedgerWriter } from './ledger/ledger-writer.js';

const NONCE_EPOCH_MS = 250;

/** For the steps of a stop besides open requests. */
const STOP_STEPS_MS = 5_000;

async function main(config: GatewayConfig): Promise<void> {
  const logger = createLogger('gateway', config.LOG_LEVEL);
  const now = Date.now;
  const startedAt = now();
  const gatewayId = `gateway-${randomBytes(8).toString('hex')}`;
  const life = openProcessLife(logger, config.SHUTDOWN_MS + STOP_STEPS_MS);

  const evidenceKeys = readEvidenceKeys(config.EVIDENCE_KEY_FILE);
  const pool = openPool(config.DATABASE_URL, 8, logger);
  life.onStop(() => pool.end());
  const journal = createJournal();
  const fold = createFold(evidenceKeys);
  const store = createLedgerStore(pool);
  const follower = await openLedgerFollower({
    store,
    fold: {
      advance: (rows) => recorded(fold.advance(rows)),
      get state() {
        return fold.state;
      },
    },
    logger,
    connectionString: config.DATABASE_URL,
    now,
    pollMs: config.LEDGER_POLL_MS,
    watchClock: false,
  });
  function recorded(outcomes: ReturnType<typeof fold.advance>) {
    journal.append(outcomes);
    return outcomes;
  }
  life.onStop(() => follower.stop());

  const redis = openCommandRedis(config.REDIS_URL, logger);
  const subscriber = openSubscriberRedis(config.REDIS_URL, logger);
  life.onStop(() => redis.disconnect());
  life.onStop(() => subscriber.disconnect());
  const nonces = createNonceStore(redis, logger);
  const renew = setInterval(
    () => void nonces.renewEpoch(now()).catch(() => undefined),
    NONCE_EPOCH_MS,
  );
  redis.on('ready', () => {
    nonces.renewEpoch(now()).catch(() => undefined);
    warnOfEviction(redis, logger).catch(() => undefined); // a hint: it may not be allowed to ask
  });
  life.onStop(() => clearInterval(renew));

  const queues = createSignQueues(redis);
  life.onStop(() => queues.close());
  const dispatcher = createDispatcher({
    gatewayId,
    presence: () => presence,
    send: queues.send,
    ledgerSeq: () => follower.state.seq,
    keys: evidenceKeys,
    logger,
    now,
  });
  const presence = openPresence(redis, now, () => dispatcher.pump());
  life.onStop(() => presence.stop());
  life.onStop(() => dispatcher.stop());
  subscriber.on('messageBuffer', (_channel: Buffer, message: Buffer) => {
    try {
      dispatcher.receive(openReply(message, gatewayId, evidenceKeys));
    } catch (error) {
      logger.warn({ event: 'reply_refused', reason: String(error) }, 'unreadable reply dropped');
    }
  });
  // not awaited: a gateway must start, answer reads and freeze while Redis is away
  subscriber
    .subscribe(replyChannel(gatewayId))
    .catch((error: unknown) =>
      logger.error({ event: 'subscribe_failed', reason: String(error) }, 'no replies will come'),
    );

  const signingRequests = createSigningRequests(pool, evidenceKeys);
  const sweeper = openSweeper(signingRequests, dispatcher, logger);
  life.onStop(() => sweeper.stop());
  const refusals = createRefusalRecorder(pool, gatewayId);
  life.onStop(() => refusals.drain());

  const cursorKey = evidenceKeys.derive(
    evidenceKeys.seal(Buffer.alloc(0), Buffer.alloc(0)),
    'cursors',
    Buffer.alloc(0),
  );
  const app = createApp({
    follower,
    journal,
    ledger: createLedgerWriter({ store, follower, journal, keys: evidenceKeys, now }),
    dispatcher,
    presence,
    signingRequests,
    nonces,
    refusals,
    idempotency: createIdempotencyStore(pool),
    cursors: createCursors(cursorKey),
    pool,
    evidenceKeys,
    keyProgress: createKeyProgressReader(redis),
    logger,
    now,
    service: {
      follower,
      presence,
      redis,
      nonces,
      startedAt,
      isStopping: () => life.isStopping,
      now,
    },
    documents: createDocuments(),
  });
  const server = createFastServer(app);
  server.maxConnections = 10_000;
  await listen(server, config);
  life.onStop(() => closeServer(server, config.SHUTDOWN_MS));
  const { port } = server.address() as AddressInfo;
  logger.info({ event: 'listening', host: config.HOST, port }, 'gateway listening');
  process.send?.({ event: 'listening', port });
}

function listen(server: Server, config: GatewayConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.PORT, config.HOST, () => resolve());
  });
}

try {
  await main(readGatewayConfig(process.env));
} catch (error) {
  const text = error instanceof ConfigError ? error.message : String(error);
  process.stderr.write(`gateway: ${text}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
