/** One party's replica in the test's own process, as built code over its real keys: for parties gone bad. */
import { createFold } from '@countersign/vault/ledger/fold.js';
import { openLedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { createPartyChannel } from '../../signer/dist/channel/party-channel.js';
import { createNoncePoolMemory } from '../../signer/dist/threads/nonce-memory.js';
import {
  partyKeyFiles,
  x25519PrivateKey,
  x25519PublicKeyObject,
} from '../../signer/dist/party/party-keys.js';
import { readSecretFile } from '@countersign/custody/secret-file.js';
import { openThreadPools } from '../../signer/dist/threads/thread-pools.js';
import { openTestRedis } from './restart-redis.ts';
import type { TestVault } from './test-vault.ts';

export const NONCE_SLOTS = 64;

/** What a party's code is built on; it takes part in nothing until something is opened over it. */
export async function openPartyInTest(vault: TestVault, self: Replica, nonceSlots = NONCE_SLOTS) {
  const { party } = self;
  const logger = createLogger(`party_${party}-${self.name}`, 'silent');
  const evidenceKeys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  const databaseUrl = vault.servers.roleUrls[`party_${party}`];
  const pool = openPool(databaseUrl, 4, logger);
  const ledger = createLedgerStore(pool);
  const follower = await openLedgerFollower({
    store: ledger,
    fold: createFold({ keys: evidenceKeys }),
    logger,
    connectionString: databaseUrl,
    now: Date.now,
    pollMs: 100,
    genesisHash: readTrustedGenesis({ GENESIS_FILE: vault.prepared.genesisFile }),
    pinFile: undefined,
  });
  const files = partyKeyFiles(vault.prepared.keyDir(party));
  const threads = await openThreadPools({
    party,
    kekFile: files.kek,
    identitySeedFile: files.identitySeed,
    nonceMemory: createNoncePoolMemory(nonceSlots),
  });
  const redis = openTestRedis(vault.servers.redis.url);
  const channel = createPartyChannel({
    self,
    privateKey: x25519PrivateKey(readSecretFile(files.exchangeKey, 32)),
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
  return {
    self,
    logger,
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
      await threads.close();
      await follower.stop();
      await pool.end();
      redis.disconnect();
    },
  };
}
