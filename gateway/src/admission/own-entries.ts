/**
 * Limits what callers may write into the ledger although no administrative policy allows it to them: signing requests
 * and changes that wait for approvals or their time, and what everybody may do about their own. (That is to approve,
 * reject and cancel requests, and to manage passkeys.) Memory of this process only: a hostile gateway is bound by
 * nothing here, but by the size of a row.
 *
 * Threat: whoever holds one bot makes a request that has to wait, cancels it, and asks again. The fold bounds what
 * waits at one time, but what was written stays for good, on every node. So a caller may write a MiB at once, and
 * slowly more. The kinds are counted apart: whoever asked for too much can still cancel it.
 */
import type { Evidence } from '@countersign/core/evidence.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { BucketSize } from '@countersign/runtime/process/token-bucket.js';
import { createBucketTable } from './bucket-table.js';
import { refuseTooOften } from '../http/public-error.js';

/**
 * Allows some 600 small requests at once, or three of the largest; then nine small ones a minute, at most 22 MB a day.
 */
const BYTES: BucketSize = { capacity: 1024 * 1024, perSecond: 256 };
/** Bytes of an entry beside what its caller sent: hashes, an index and two parties' statements. */
const ENTRY_BYTES = 1024;

export type OwnEntry = 'signature' | 'change' | 'own';

export interface OwnEntries {
  /** Takes the room, or refuses if there is none. */
  refuse(kind: OwnEntry, callerId: string, evidence: Evidence): Refusal | undefined;
}

/** `now`: ms. */
export function createOwnEntries(now: () => number): OwnEntries {
  const tables = {
    signature: createBucketTable(BYTES, now),
    change: createBucketTable(BYTES, now),
    own: createBucketTable(BYTES, now),
  };
  return {
    refuse(kind, callerId, evidence) {
      const bucket = tables[kind].row(callerId);
      const bytes = bytesOf(evidence);
      if (bucket.tryTake(bytes)) return undefined;
      return refuseTooOften(TEXTS[kind], bucket.secondsUntil(bytes));
    },
  };
}

const TEXTS: Readonly<Record<OwnEntry, string>> = {
  signature: 'too many of your requests were recorded to wait for approvals',
  change: 'too many of your changes were recorded to wait',
  own: 'too many of your requests were recorded',
};

function bytesOf({ path, query, body, credential, assertion }: Evidence): number {
  return (
    ENTRY_BYTES +
    [path, query, body, credential, assertion].reduce((sum, { length }) => sum + length, 0)
  );
}
