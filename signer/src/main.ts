/** One replica of one signer party. It dials out to PostgreSQL and Redis, and listens on nothing. */
import { ConfigError } from '@countersign/runtime/process/config.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { partyChannel, replyChannel } from '@countersign/runtime/jobs/names.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { sealReply, type SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { openLedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { openProcessLife, type ProcessLife } from '@countersign/runtime/process/process-life.js';
import { Redis } from 'ioredis';
import { decodeMessage, encodeMessage, type PartnerPart } from './channel/messages.js';
import type { PartyMessage } from './channel/messages.js';
import { createPartyChannel } from './channel/party-channel.js';
import { readSignerConfig, type SignerConfig } from './config.js';
import { createNoncePoolMemory } from './threads/nonce-memory.js';
import { checkPins, openHeadKeeper } from './party/head-keeper.js';
import { openKeyWork } from './open-key-work.js';
import { partyKeyFiles, x25519PrivateKey, x25519PublicKeyObject } from './party/party-keys.js';
import { openOwnPresence } from './party/own-presence.js';
import { createRecordWriter } from './records/record-writer.js';
import { createNonceStore } from './records/venue-nonce-store.js';
import { createShareStore } from './records/share-store.js';
import { createBorrowedCommitments } from './signing/borrowed-commitments.js';
import { createCommitmentLender } from './signing/commitment-lender.js';
import { createLeadInbox } from './signing/lead-inbox.js';
import type { PartyContext } from './signing/party-context.js';
import { signAsLead } from './signing/sign-as-lead.js';
import { signAsPartner } from './signing/sign-as-partner.js';
import { openSignWorker } from './signing/sign-worker.js';
import { readSecretFile } from '@countersign/custody/secret-file.js';
import { openThreadPools } from './threads/thread-pools.js';
import { vouchForEvidenceKeys } from './party/vouch-for-evidence-keys.js';

const STOP_WITHIN_MS = 10_000;
const NONCE_SLOTS = 16_384;
const GENESIS_POLL_MS = 500;
/** Without a signing job for this long, a party has time for keys that nobody waits for. */
const IDLE_MS = 10_000;

async function main(config: SignerConfig): Promise<void> {
  const logger = createLogger(`party_${config.PARTY}`, config.LOG_LEVEL);
  const now = Date.now;
  const self = startReplica(config.PARTY, config.REPLICA);
  const files = partyKeyFiles(config.KEY_DIR);
  const life = openProcessLife(logger, STOP_WITHIN_MS);

  const evidenceKeys = readEvidenceKeys(config.EVIDENCE_KEY_FILE);
  const pool = openPool(config.DATABASE_URL, 6, logger);
  life.onStop(() => pool.end());
  const ledger = createLedgerStore(pool);
  const follower = await openLedgerFollower({
    store: ledger,
    fold: createFold(evidenceKeys),
    logger,
    connectionString: config.DATABASE_URL,
    now,
    pollMs: config.LEDGER_POLL_MS,
    watchClock: true,
  });
  life.onStop(() => follower.stop());
  while (!(await follower.waitUntil((state) => state.genesisHash !== '', GENESIS_POLL_MS))) {
    logger.info({ event: 'waiting_for_genesis' }, 'waiting for the genesis');
  }
  await checkPins(files, ledger, follower.state);
  const heads = openHeadKeeper(files.head, () => follower.state);
  life.onStop(() => heads.stop());

  const threads = await openThreadPools({
    party: config.PARTY,
    kekFile: files.kek,
    identitySeedFile: files.identitySeed,
    nonceMemory: createNoncePoolMemory(NONCE_SLOTS),
    maxThreads: config.SIGNING_THREADS,
  });
  life.onStop(() => threads.close());
  requireOwnIdentity(follower.state, config, threads.identityPublicKey);
  await vouchForEvidenceKeys({ party: self.party, evidenceKeys, follower, ledger, threads, now });

  const redis = openRedis(config.REDIS_URL);
  const subscriber = openRedis(config.REDIS_URL);
  for (const connection of [redis, subscriber]) {
    connection.on('error', (error: Error) =>
      logger.warn({ event: 'redis_error', reason: error.message }, 'Redis connection error'),
    );
    life.onStop(() => connection.disconnect());
  }

  const exchangeKey = readSecretFile(files.exchangeKey, 32);
  const channel = createPartyChannel({
    self,
    privateKey: x25519PrivateKey(exchangeKey),
    publicKeys: new Map(
      follower.state.parties.map((row) => [
        row.party,
        x25519PublicKeyObject(Buffer.from(row.exchangePublicKey, 'base64')),
      ]),
    ),
    genesisHash: follower.state.genesisHash,
    publish: (name, envelope) => redis.publish(name, envelope),
    logger,
  });
  exchangeKey.fill(0);
  const send = (to: Replica, message: PartyMessage) => channel.send(to, encodeMessage(message));

  const records = createRecordWriter(
    pool,
    config.PARTY,
    `party_${self.party}-${self.name}-${self.boot}`,
  );
  life.onStop(() => records.drain());
  const shares = createShareStore(pool, config.PARTY);
  let lastBatchAt = now();
  const context: PartyContext = {
    self,
    follower,
    threads,
    shares,
    nonces: createNonceStore(pool, config.PARTY),
    records,
    evidenceKeys,
    logger,
    now,
    send,
  };

  const lender = createCommitmentLender(threads, NONCE_SLOTS);
  const borrowed = createBorrowedCommitments((lead, token, count) => {
    send(lead, { kind: 'need-commitments', token, count }).catch(() => undefined);
  }, now);
  const inbox = createLeadInbox((batch, parts) => {
    leadBatch(batch, parts).catch((error: unknown) =>
      logger.error({ event: 'lead_failed', reason: String(error) }, 'batch failed'),
    );
  }, now);

  async function leadBatch(batch: SignBatch, parts: readonly PartnerPart[]): Promise<void> {
    let outcomes: SignOutcome[];
    try {
      outcomes = await signAsLead(context, batch, parts);
    } catch (error) {
      logger.error({ event: 'lead_failed', reason: String(error) }, 'batch failed');
      outcomes = batch.items.map(() => ({ outcome: 'retry', reason: 'records not committed' }));
    }
    const reply = {
      batchId: batch.batchId,
      outcomes: outcomes.map((outcome, index) => ({ index, outcome })),
    };
    if (outcomes.some(({ outcome }) => outcome === 'retry')) borrowed.forget(batch.partner);
    await redis.publish(
      replyChannel(batch.gatewayId),
      sealReply(reply, batch.gatewayId, evidenceKeys),
    );
  }

  const presence = openOwnPresence(redis, self, now, () => follower.fault === undefined);
  life.onStop(() => presence.stop());
  const keyWork = openKeyWork({
    self,
    config,
    kekFile: files.kek,
    pool,
    redis,
    follower,
    ledger,
    threads,
    shares,
    lender,
    presence,
    logger,
    now,
    send,
    pairSecret: (peer, purpose) => channel.pairSecret(peer, purpose),
    isSigning: () => now() - lastBatchAt < IDLE_MS,
  });
  life.onStop(() => keyWork.stop());

  channel.onMessage((from, bytes) => {
    const message = decodeMessage(bytes);
    switch (message.kind) {
      case 'need-commitments':
        void lender
          .lend(message.count)
          .then((commitments) =>
            send(from, { kind: 'commitments', token: message.token, commitments }),
          )
          .catch((error: unknown) =>
            logger.warn({ event: 'lend_failed', reason: String(error) }, 'no commitments lent'),
          );
        return;
      case 'commitments':
        borrowed.receive(from, message.token, message.commitments);
        return;
      case 'contribution':
        inbox.addContribution(from, message.batchId, message.parts);
        return;
      case 'ceremony':
        keyWork.receive(from, message);
    }
  });
  subscriber.on('messageBuffer', (_channel: Buffer, envelope: Buffer) => channel.receive(envelope));
  await subscriber.subscribe(partyChannel(self));

  const worker = openSignWorker({
    self,
    redis: openWorkerRedis(config, life),
    evidenceKeys,
    logger,
    lead: (batch) => {
      lastBatchAt = now();
      inbox.addBatch(batch);
    },
    partner: (batch) => {
      lastBatchAt = now();
      return signAsPartner(context, borrowed, batch);
    },
  });
  life.onStop(() => worker.close());
  presence.announce();
  logger.info({ event: 'ready', party: self.party, replica: self.name }, 'signer ready');
  process.send?.({ event: 'ready' });
}

/** The keys in the folder must be those that the genesis names for this party. */
function requireOwnIdentity(state: VaultState, config: SignerConfig, publicKey: Uint8Array): void {
  const named = state.parties.find((row) => row.party === config.PARTY)?.identityPublicKey;
  if (named !== Buffer.from(publicKey).toString('base64')) {
    throw new Error(`KEY_DIR does not hold the identity of party ${config.PARTY} in the genesis`);
  }
}

const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);

function openRedis(url: string): Redis {
  return new Redis(url, { maxRetriesPerRequest: null, connectTimeout: 2_000, retryStrategy });
}

/** BullMQ blocks on its own connection and demands that it never gives up. */
function openWorkerRedis(config: SignerConfig, life: ProcessLife): Redis {
  const redis = openRedis(config.REDIS_URL);
  redis.on('error', () => undefined); // the worker tells its errors itself
  life.onStop(() => redis.disconnect());
  return redis;
}

try {
  await main(readSignerConfig(process.env));
} catch (error) {
  const text = error instanceof ConfigError ? error.message : String(error);
  process.stderr.write(`signer: ${text}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
