/**
 * A trial record is written and taken back to see whether records can be written: a row for each table that a signature
 * writes to.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import { EMPTY_CHAIN, createRecordChain } from '@countersign/runtime/records/record-chain.js';
import { signRecordFields } from '@countersign/runtime/records/sign-record.js';
import { insertValues } from './insert-sign-records.js';
import type { RecordEntry } from './record-entry.js';

/** How long the result of a trial serves everybody who asks, ms: the database is asked no more often. */
const KNOWN_FOR_MS = 1_000;

/** The first that the tables take. */
const NO_TIME_MS = 1;
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Values for the statement that writes records, in a chain that never comes to stand: they are of no time. */
export function trialValues(party: PartyNumber, chainId: string): unknown[] {
  const entry = trialEntry(party);
  const chain = createRecordChain(`${chainId}-trial`);
  return insertValues(chain.id, party, [entry], chain.link([signRecordFields(entry.record)]));
}

function trialEntry(party: PartyNumber): RecordEntry {
  const submission = '00'.repeat(16);
  const proof = { index: 0, size: 1, path: [], signature: Buffer.alloc(64) };
  const outcome = {
    outcome: 'denied',
    submission,
    proofs: [proof, proof],
    requestId: NOBODY,
    parties: [party, party],
    errType: 'unauthorized',
    reason: '',
  } as const;
  return {
    record: {
      at: NO_TIME_MS,
      requestId: NOBODY,
      role: 'lead',
      outcome: 'denied',
      action: 'trial',
      actorId: NOBODY,
      keyId: null,
      vaultId: null,
      walletAddress: null,
      messageSha256: null,
      policy: null,
      ledgerSeq: 0,
      parties: '',
      reason: null,
    },
    askedAt: NO_TIME_MS,
    message: { at: NO_TIME_MS, nonce: 0n, sha256: EMPTY_CHAIN.hash.toString('hex') },
    result: { receivedAt: NO_TIME_MS, outcome, evidence: Buffer.alloc(0) },
  };
}

/** Undefined when `tryOnce` resolved, otherwise why it did not; tried once for all who ask in one second. `now`: ms. */
export function createTrials(
  tryOnce: () => Promise<unknown>,
  now: () => number,
): () => Promise<string | undefined> {
  let triedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<string | undefined> = Promise.resolve(undefined);
  return () => {
    if (Math.abs(now() - triedAt) < KNOWN_FOR_MS) return last;
    triedAt = now();
    last = tryOnce().then(() => undefined, String);
    return last;
  };
}
