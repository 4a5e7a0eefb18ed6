/** A batch of one item: its lead's statement is made with the signature, unless that turns out to be the wrong one. */
import { treeMessage } from '@countersign/api/signed-tree.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  leadLeaf,
  type SignedOutcome,
  type Unproven,
} from '@countersign/runtime/jobs/sign-outcome.js';
import { completedStatement, type LoneStatement } from '../threads/lone-statement.js';
import type { LeadItem, LeadResult } from '../threads/thread-tasks.js';

const HASH_BYTES = 32;
const NOTHING = new Uint8Array();

/** What the party would say, were the item signed. `genesisHash`: hex. */
export function loneStatement(
  party: PartyNumber,
  outcome: Omit<Unproven<SignedOutcome>, 'signature'>,
  genesisHash: string,
): LoneStatement {
  // the leaf ends with the hashes of the signature and of what is answered with it
  const leaf = leadLeaf({ ...outcome, signature: NOTHING });
  const message = treeMessage(party, { size: 1, root: Buffer.alloc(HASH_BYTES) }, genesisHash);
  return {
    head: message.subarray(0, -HASH_BYTES),
    before: leaf.subarray(0, -2 * HASH_BYTES),
    after: leaf.subarray(-HASH_BYTES),
  };
}

/** The identity key's signature of this message, if the thread made it: what it said otherwise stays here. */
export function saidByThread(
  message: Buffer,
  items: readonly LeadItem[],
  results: readonly LeadResult[],
): Uint8Array | undefined {
  const [[item], [result]] = [items, results];
  if (item?.statement === undefined || result?.ok !== true) return undefined;
  const isSaid = completedStatement(item.statement, result.signature).equals(message);
  return isSaid ? result.said : undefined;
}
