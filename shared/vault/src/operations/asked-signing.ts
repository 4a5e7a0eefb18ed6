/** What evidence asks to be signed, as a request of its own: all that it says, or one item of a batch. */
import { itemIdOf } from '@countersign/core/batch-item.js';
import { isRefusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { readBatch, type ReadBatch } from './signing-batches.js';
import type { MatchedSigning } from './signing-operation.js';
import { findSigningOperation } from './signing-operations.js';

export interface AskedSigning {
  /** Of what its caller signed; 32 bytes. */
  readonly digest: Buffer;
  /** Its own: an item of a batch has another than the batch. */
  readonly requestId: string;
  /** Undefined if the evidence asks for no such signature. */
  readonly matched: MatchedSigning | undefined;
  /** Undefined for what is no item of a batch. */
  readonly batch: AskedBatch | undefined;
}

export interface AskedBatch {
  readonly requestId: string;
  readonly index: number;
  /** How many items it has. */
  readonly size: number;
  readonly isAllOrNone: boolean;
}

/**
 * `index`: of an item of a batch. A batch is nothing that could be signed as a whole, and another request has no items:
 * so nobody turns one into the other, and no index names an item that its caller did not ask for.
 */
export function askedSigning(evidence: Evidence, index?: number): AskedSigning {
  if (index !== undefined) return askedItem(evidence, index);
  const digest = digestOf(evidence);
  const matched = findSigningOperation(evidence.method, evidence.path);
  return { digest, requestId: requestIdOf(digest), matched, batch: undefined };
}

function askedItem(evidence: Evidence, index: number): AskedSigning {
  const { digest, requestId, read } = openBatch(evidence);
  const matched = read?.items[index];
  const common = { digest, requestId: itemIdOf(requestId, index) };
  if (read === undefined || matched === undefined) {
    return { ...common, matched: undefined, batch: undefined };
  }
  const { items, isAllOrNone } = read;
  return { ...common, matched, batch: { requestId, index, size: items.length, isAllOrNone } };
}

interface OpenedBatch {
  readonly digest: Buffer;
  readonly requestId: string;
  readonly read: ReadBatch | undefined;
}

/** Items of one batch share its evidence: it is hashed and read once for all of them. */
const OPENED = new WeakMap<Evidence, OpenedBatch>();

function openBatch(evidence: Evidence): OpenedBatch {
  const known = OPENED.get(evidence);
  if (known !== undefined) return known;
  const digest = digestOf(evidence);
  const read = readBatch(evidence);
  const opened = {
    digest,
    requestId: requestIdOf(digest),
    read: isRefusal(read) ? undefined : read,
  };
  OPENED.set(evidence, opened);
  return opened;
}
