/**
 * What a lead says of a batch of one item, but for the signature that it says it of. The thread that makes the signature
 * completes and signs it in the same task. Otherwise the lead would wake a thread twice, one time after the other, for
 * each lone request.
 */
import { leafHash } from '@countersign/core/merkle-tree.js';
import { sha256 } from '@countersign/core/hash.js';
import type { Bytes } from '@countersign/core/bytes.js';

/** The message is `head` and the hash of a leaf; the leaf is `before`, the signature's hash and `after`. */
export interface LoneStatement {
  readonly head: Bytes;
  readonly before: Bytes;
  readonly after: Bytes;
}

/** The message for the party's identity key. */
export function completedStatement(
  { head, before, after }: LoneStatement,
  signature: Bytes,
): Buffer {
  return Buffer.concat([head, leafHash(Buffer.concat([before, sha256(signature), after]))]);
}
