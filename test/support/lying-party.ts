/**
 * Party 2 gone bad: a replica with its real keys and its real code, save that what it contributes to a
 * signature has one bit changed. It answers the jobs that a hostile gateway sends it.
 */
import { join } from 'node:path';
import { createFold } from '@countersign/shared/ledger/fold.js';
import { openLedgerFollower } from '@countersign/shared/ledger/ledger-follower.js';
import { createLedgerStore } from '@countersign/shared/ledger/ledger-store.js';
import { readEvidenceKeys } from '@countersign/shared/evidence-key.js';
import type { SignBatch } from '@countersign/shared/jobs/sign-batch.js';
import { startReplica, type Replica } from '@countersign/shared/jobs/replica.js';
import { createLogger } from '@countersign/shared/logger.js';
import { openPool } from '@countersign/shared/postgres-pool.js';
import { encodeMessage } from '../../signer/dist/channel/messages.js';
import { createPartyChannel } from '../../signer/dist/channel/party-channel.js';
import { createNoncePoolMemory } from '../../signer/dist/frost/nonce-pool.js';
import {
  partyKeyFiles,
  x25519PrivateKey,
  x25519PublicKeyObject,
} from '../../signer/dist/party-keys.js';
import { createNonceStore } from '../../signer/dist/records/nonce-store.js';
import { createRecordWriter } from '../../signer/dist/records/record-writer.js';
import { createShareStore } from '../../signer/dist/records/share-store.js';
import { createBorrowedCommitments } from '../../signer/dist/signing/borrowed-commitments.js';
import type { PartyContext } from '../../signer/dist/signing/party-context.js';
import { signAsPartner } from '../../signer/dist/signing/sign-as-partner.js';
import { openSignWorker } from '../../signer/dist/signing/sign-worker.js';
import { readSecretFile } from '../../signer/dist/threads/secret-file.js';
import { openThreadPools, type ThreadPools } from '../../signer/dist/threads/thread-pools.js';
import { openTestRedis } from './restart-redis.ts';
import type { TestVault } from './test-vault.ts';

export const LIAR: Replica = startReplica(2, 'liar');

export interface LyingParty {
  /** Changes one bit of every contribution while it is set. */
  isLying: boolean;
  close(): Promise<void>;
}

export async function openLyingParty(vault: TestVault): Promise<LyingParty> {
  const logger = createLogger('liar', 'silent');
  const evidenceKeys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  const url = vault.servers.roleUrls.party_2;
  const pool = openPool(url, 4, logger);
  const follower = await openLedgerFollower({
    store: createLedgerStore(pool),
    fold: createFold(evidenceKeys),
    logger,
    connectionString: url,
    now: Date.now,
    pollMs: 100,
    watchClock: true,
  });
  const files = partyKeyFiles(join(vault.prepared.keyDir(2)));
  const threads = await openThreadPools({
    party: 2,
    kekFile: files.kek,
    identitySeedFile: files.identitySeed,
    nonceMemory: createNoncePoolMemory(64),
  });
  const redis = openTestRedis(vault.servers.redis.url);
  const workerRedis = openTestRedis(vault.servers.redis.url);
  const channel = createPartyChannel({
    self: LIAR,
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
  const records = createRecordWriter(pool, 2, `liar-${Date.now()}`);
  const liar: LyingParty = {
    isLying: true,
    async close() {
      await worker.close();
      await threads.close();
      await records.drain();
      await follower.stop();
      await pool.end();
      redis.disconnect();
      workerRedis.disconnect();
    },
  };
  const context: PartyContext = {
    self: LIAR,
    follower,
    threads: lyingThreads(threads, liar),
    shares: createShareStore(pool, 2),
    nonces: createNonceStore(pool, 2),
    records,
    evidenceKeys,
    logger,
    now: Date.now,
    send: (to, message) => channel.send(to, encodeMessage(message)),
  };
  const borrowed = createBorrowedCommitments(() => undefined, Date.now);
  const worker = openSignWorker({
    self: LIAR,
    redis: workerRedis,
    evidenceKeys,
    logger,
    lead: () => undefined,
    partner: (batch: SignBatch) => signAsPartner(context, borrowed, batch),
  });
  return liar;
}

function lyingThreads(threads: ThreadPools, liar: LyingParty): ThreadPools {
  return {
    ...threads,
    async partner(items) {
      const results = await threads.partner(items);
      return results.map((result) => {
        if (!result.ok || !liar.isLying) return result;
        const contribution = Uint8Array.from(result.contribution);
        contribution[contribution.length - 1]! ^= 1;
        return { ...result, contribution };
      });
    },
  };
}
