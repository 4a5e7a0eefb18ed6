/**
 * Party 2 gone bad: a replica with its real keys and its real code, save that what it contributes to a
 * signature has one bit changed. It answers the jobs that a hostile gateway sends it.
 */
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { createRecordWriter } from '../../signer/dist/records/record-writer.js';
import { createBorrowedCommitments } from '../../signer/dist/signing/borrowed-commitments.js';
import type { PartyContext } from '../../signer/dist/signing/party-context.js';
import { signAsPartner } from '../../signer/dist/signing/sign-as-partner.js';
import { openSignWorker } from '../../signer/dist/signing/sign-worker.js';
import type { ThreadPools } from '../../signer/dist/threads/thread-pools.js';
import { openPartyInTest } from './party-in-test.ts';
import { openTestRedis } from './restart-redis.ts';
import { signingContext } from './signing-in-test.ts';
import type { TestVault } from './test-vault.ts';

export const LIAR: Replica = startReplica(2, 'liar');

export interface LyingParty {
  /** Changes one bit of every contribution while it is set. */
  isLying: boolean;
  close(): Promise<void>;
}

export async function openLyingParty(vault: TestVault): Promise<LyingParty> {
  const parts = await openPartyInTest(vault, LIAR);
  const { evidenceKeys, logger, alarms, pool, threads } = parts;
  const workerRedis = openTestRedis(vault.servers.redis.url);
  const records = createRecordWriter(pool, 2, `liar-${Date.now()}`, () => performance.now());
  const liar: LyingParty = {
    isLying: true,
    async close() {
      await worker.close();
      await records.drain();
      await parts.close();
      workerRedis.disconnect();
    },
  };
  const context: PartyContext = {
    ...signingContext(parts, records),
    threads: lyingThreads(threads, liar),
  };
  const borrowed = createBorrowedCommitments(() => undefined, Date.now);
  const worker = openSignWorker({
    tokens: { refuse: async () => undefined },
    follower: context.follower,
    now: Date.now,
    self: LIAR,
    redis: workerRedis,
    evidenceKeys,
    logger,
    alarms,
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
