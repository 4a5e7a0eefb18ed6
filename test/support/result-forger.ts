/**
 * Party 3 gone bad, in what it says of results. It has what a party has: its identity key, the evidence key, its own
 * role in the database and a replica that gateways choose; its own process does not run. It contributes nothing and
 * lies at once about everything that it is asked, in replies and in rows.
 */
import { randomBytes, sign } from 'node:crypto';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { sha256 } from '@countersign/core/hash.js';
import { createJobBackend } from '@countersign/runtime/jobs/job-backend.js';
import { PRESENCE_KEY, replyChannel, signQueueName } from '@countersign/runtime/jobs/names.js';
import { presenceEntry, presenceMessage, startReplica } from '@countersign/runtime/jobs/replica.js';
import {
  openSignBatch,
  type SignBatch,
  type SignItem,
} from '@countersign/runtime/jobs/sign-batch.js';
import {
  openReply,
  sealReply,
  type RecordedOutcome,
  type SignedOutcome,
  type SignOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import { partySecret } from './secret-sweep.ts';
import { Worker } from 'bullmq';
import { openRedisAttacker } from './attacker.ts';
import { privateKeyOfSeed } from './ledger-builder.ts';
import { denied, prove, signedReply, type Prover } from './proven-outcomes.ts';
import { openTestRedis } from './restart-redis.ts';
import { query } from './signing-load.ts';
import type { TestVault, TestWallet } from './test-vault.ts';

const LIAR = startReplica(3, 'liar');

export interface ResultForger {
  /** Requests that it has lied about in replies, by their ids. Once there are enough it is no longer to be chosen. */
  readonly liedAbout: ReadonlySet<string>;
  /** What it can say of a request, none of which is so. */
  lies(requestId: string, submission: string): RecordedOutcome[];
  /** Writes a row about a request in its own name. */
  writeRow(requestId: string, payload: Buffer, evidence?: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** `wallet`: whose signatures it lies about, to so many callers (`enough`). `genesisHash`: hex. */
export async function openResultForger(
  vault: TestVault,
  { wallet, genesisHash, enough }: { wallet: TestWallet; genesisHash: string; enough: number },
): Promise<ResultForger> {
  const evidenceKeys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  const prover = proverOf(vault, genesisHash);
  const attacker = openRedisAttacker(vault.servers.redis.url);
  const heard = await attacker.tap(replyChannel('*'));
  const liedAbout = new Set<string>();

  function lies(requestId: string, submission: string): RecordedOutcome[] {
    return [
      wrongSignature(requestId, submission, wallet, prover),
      denied({ requestId, submission }, prover, { parties: [3, 1] }),
      denied({ requestId, submission }, prover, { parties: [1, 2] }),
      ...truthsOf(heard, evidenceKeys).slice(-2),
    ];
  }

  async function reply(batch: SignBatch): Promise<void> {
    const ids = batch.items.map(({ evidence }) => requestIdOf(digestOf(evidence)));
    const retry: SignOutcome = { outcome: 'retry', reason: 'x', nonce: 9n, isPartnerAtFault: true };
    const ofItem = (item: SignItem, index: number) => [
      ...lies(ids[index]!, item.submission),
      // a retry is its lead's to ask for
      ...(batch.lead.party === 3 ? [] : [retry]),
    ];
    const all = batch.items.flatMap((item, index) =>
      ofItem(item, index).map((outcome) => ({ index, outcome })),
    );
    for (const outcome of all) {
      const said = signedReply({ ...batch, outcomes: [outcome] }, prover, 3);
      const sealed = sealReply(said, batch.gatewayId, evidenceKeys);
      await attacker.redis.publish(replyChannel(batch.gatewayId), sealed);
    }
    for (const id of ids) liedAbout.add(id);
  }

  const redis = openTestRedis(vault.servers.redis.url);
  const worker = new Worker(
    signQueueName(LIAR),
    async ({ data }) => reply(openJob(data, evidenceKeys)),
    { connection: redis, skipVersionCheck: true, skipLockRenewal: true, skipStalledCheck: true },
    createJobBackend,
  );
  const presence = prover.sign(3, presenceMessage(LIAR, false, genesisHash));
  async function say(): Promise<void> {
    const [field, value] = presenceEntry(LIAR, Date.now(), false, presence);
    if (liedAbout.size < enough) await attacker.redis.hset(PRESENCE_KEY, field, value);
    else await attacker.redis.hdel(PRESENCE_KEY, field);
  }
  await say();
  const timer = setInterval(() => void say().catch(() => undefined), 500);

  return {
    liedAbout,
    lies,
    async writeRow(requestId, payload, evidence = randomBytes(200)) {
      await query(vault.servers.roleUrls.party_3, INSERT_ROW, [requestId, 3, payload, evidence]);
    },
    async close() {
      clearInterval(timer);
      await worker.close();
      redis.disconnect();
      await attacker.close();
    },
  };
}

/** Values: request, lead, payload, evidence. */
export const INSERT_ROW = `INSERT INTO request_result
    (request_id, operation, created_by, received_at, completed_at, lead, outcome, payload, evidence)
  VALUES ($1, 'raw-sign', $1, now(), now(), $2, 'signed', $3, $4)`;

/** Signs with the key of party 3, in whosever name. */
function proverOf(vault: TestVault, genesisHash: string): Prover {
  const key = privateKeyOfSeed(partySecret(vault, 3, 'identity'));
  return { genesisHash, sign: (_party, message) => sign(null, message, key) };
}

function wrongSignature(
  requestId: string,
  submission: string,
  { keyId }: TestWallet,
  prover: Prover,
): SignedOutcome {
  return prove<SignedOutcome>(
    {
      outcome: 'signed',
      submission,
      signature: randomBytes(64),
      details: new Uint8Array(),
      receipt: {
        requestId,
        keyId,
        messageSha256: sha256(requestId).toString('hex'),
        policy: { id: requestId, version: 1, ruleId: requestId },
        ledgerSeq: 1,
        ledgerHash: '00'.repeat(32),
        rulesVersion: 1,
        parties: [3, 1],
        signedAt: Date.now(),
      },
    },
    prover,
  );
}

/** The true outcomes of others, as they went over Redis: whoever holds the evidence key reads them. */
function truthsOf(
  heard: readonly { readonly channel: string; readonly message: Buffer }[],
  keys: EvidenceKeys,
): SignedOutcome[] {
  return heard.slice(-20).flatMap(({ channel, message }) => {
    const { outcomes } = openReply(message, channel.slice(replyChannel('').length), keys);
    return outcomes.flatMap(({ outcome }) =>
      outcome.outcome === 'signed' && !outcome.receipt.parties.includes(3) ? [outcome] : [],
    );
  });
}

function openJob(data: unknown, keys: EvidenceKeys): SignBatch {
  return openSignBatch(Buffer.from(String(data), 'base64'), keys);
}
