/** One party's replica in the test's own process, as built code over its real keys: for parties gone bad. */
import { SPOKEN } from '@countersign/runtime/jobs/protocol.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { createLoggedAlarms } from '@countersign/runtime/alarms/alarms.js';
import { openLedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { createPartyChannel } from '../../signer/dist/channel/party-channel.js';
import { createNoncePoolMemory } from '../../signer/dist/threads/nonce-memory.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import { subscribeWhenReady } from '@countersign/runtime/process/subscribe-when-ready.js';
import { exchangePublicKeys } from '../../signer/dist/channel/channel-keys.js';
import { x25519Key } from '../../signer/dist/channel/x25519.js';
import { partyKeyFiles } from '../../signer/dist/party/party-keys.js';
import { openThreadPools } from '../../signer/dist/threads/thread-pools.js';
import { BUILT_THREADS } from './built-threads.ts';
import { openTestRedis } from './restart-redis.ts';
import type { TestVault } from './test-vault.ts';

export const NONCE_SLOTS = 64;

/** What a party's code is built on; it takes part in nothing until something is opened over it. */
export async function openPartyInTest(vault: TestVault, self: Replica, nonceSlots = NONCE_SLOTS) {
  const { party } = self;
  const logger = createLogger(`party_${party}-${self.name}`, 'silent');
  const alarms = createLoggedAlarms(logger);
  const evidenceKeys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  const databaseUrl = vault.servers.roleUrls[`party_${party}`];
  const pool = openPool(databaseUrl, 4, logger);
  const ledger = createLedgerStore(pool);
  const follower = await openLedgerFollower({
    store: ledger,
    fold: createFold({ keys: evidenceKeys }),
    logger,
    alarms,
    connectionString: databaseUrl,
    now: Date.now,
    pollMs: 100,
    genesisHash: readTrustedGenesis({ GENESIS_FILE: vault.prepared.genesisFile }),
    pinFile: undefined,
  });
  const files = partyKeyFiles(vault.prepared.keyDir(party));
  const threads = await openThreadPools({
    party,
    threadFile: BUILT_THREADS.signing,
    cloudVariables: {},
    kekFile: files.kek,
    identityFile: files.identity,
    exchangeFile: files.exchange,
    nonceMemory: createNoncePoolMemory(nonceSlots),
  });
  const redis = openTestRedis(vault.servers.redis.url);
  const channel = createPartyChannel({
    self,
    own: x25519Key(await threads.openExchangeKey()),
    publicKeys: exchangePublicKeys(follower.state),
    genesisHash: follower.state.genesisHash,
    spoken: SPOKEN,
    publish: (name, frame) => redis.publish(name, frame),
    logger,
    alarms,
    now: Date.now,
  });
  // it hears as well: whoever speaks is answered with a key first
  const subscriber = openTestRedis(vault.servers.redis.url);
  subscriber.on('messageBuffer', (_channel: Buffer, frame: Buffer) => channel.receive(frame));
  await subscribeWhenReady(subscriber, partyChannel(self), () => undefined);
  return {
    self,
    logger,
    alarms,
    evidenceKeys,
    databaseUrl,
    pool,
    ledger,
    follower,
    files,
    threads,
    redis,
    channel,
    async close(): Promise<void> {
      channel.stop();
      await threads.close();
      await follower.stop();
      await pool.end();
      for (const connection of [subscriber, redis]) connection.disconnect();
    },
  };
}
