/** Whether entries of one chain of the audit log hang together: each names the hash of the one before. */
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type AuditEntry = OperationValue<'list-audit-logs'>['results'][number];

export interface ChainCheck {
  readonly entries: number;
  /** Of the first entry that does not follow from the one before it; absent: they all do. */
  readonly brokenAt?: number;
}

/** `prevHash` and `seq`: of the entry before the first; zeros and 0 at the beginning of a chain. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: string;
}

export const CHAIN_START: ChainPlace = { seq: 0, hash: '0'.repeat(64) };

/** Without looking into the entries: that their hashes are of what they say is what `countersign audit verify` recomputes. */
export function checkChain(entries: readonly AuditEntry[], start: ChainPlace): ChainCheck {
  let before = start;
  for (const { seq, hash, prev_hash: prevHash } of entries) {
    if (seq !== before.seq + 1 || prevHash !== before.hash) {
      return { entries: entries.length, brokenAt: seq };
    }
    before = { seq, hash };
  }
  return { entries: entries.length };
}
