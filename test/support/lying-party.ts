/**
 * Party 2 gone bad: a replica with its real keys and its real code, save that what it contributes to a
 * signature has one bit changed. It answers the jobs that a hostile gateway sends it.
 */
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { encodeMessage } from '../../signer/dist/channel/messages.js';
import { createNonceStore } from '../../signer/dist/records/venue-nonce-store.js';
import { createRecordWriter } from '../../signer/dist/records/record-writer.js';
import { createRequestMemory } from '../../signer/dist/requests/request-memory.js';
import { createShareStore } from '../../signer/dist/records/share-store.js';
import { createBorrowedCommitments } from '../../signer/dist/signing/borrowed-commitments.js';
import { KEEPER_TRUST } from '../../signer/dist/party/head-trust.js';
import { createGivenContributions } from '../../signer/dist/signing/given-contributions.js';
import { createRecordedDenials } from '../../signer/dist/signing/recorded-denials.js';
import { createReleaseGate } from '../../signer/dist/signing/release-gate.js';
import type { PartyContext } from '../../signer/dist/signing/party-context.js';
import { signAsPartner } from '../../signer/dist/signing/sign-as-partner.js';
import { openSignWorker } from '../../signer/dist/signing/sign-worker.js';
import type { ThreadPools } from '../../signer/dist/threads/thread-pools.js';
import { openPartyInTest } from './party-in-test.ts';
import { openTestRedis } from './restart-redis.ts';
import type { TestVault } from './test-vault.ts';

export const LIAR: Replica = startReplica(2, 'liar');

export interface LyingParty {
  /** Changes one bit of every contribution while it is set. */
  isLying: boolean;
  close(): Promise<void>;
}

export async function openLyingParty(vault: TestVault): Promise<LyingParty> {
  const parts = await openPartyInTest(vault, LIAR);
  const { evidenceKeys, follower, logger, alarms, pool, threads } = parts;
  const workerRedis = openTestRedis(vault.servers.redis.url);
  const records = createRecordWriter(pool, 2, `liar-${Date.now()}`, Date.now);
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
    self: LIAR,
    follower,
    trust: KEEPER_TRUST,
    gate: createReleaseGate(),
    given: createGivenContributions(),
    threads: lyingThreads(threads, liar),
    shares: createShareStore(pool, 2),
    nonces: createNonceStore(pool, 2),
    records,
    requests: createRequestMemory({ takenBefore: 0 }),
    denials: createRecordedDenials(),
    verifyParty: createVerifyParty(follower.state.parties),
    evidenceKeys,
    logger,
    alarms,
    now: Date.now,
    send: (to, message) => parts.channel.send(to, encodeMessage(message)),
  };
  const borrowed = createBorrowedCommitments(() => undefined, Date.now);
  const worker = openSignWorker({
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
