/** The Merkle tree that a party signs once for a batch. A leaf is what it says of one item that it decided. */
import { contributionLeaf } from '@countersign/api/receipt.js';
import { plantTree, type TreeProof } from '@countersign/api/signed-tree.js';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { partnerDenial } from '@countersign/runtime/jobs/sign-outcome.js';
import type { PartnerPart } from '../channel/messages.js';

export interface BatchTree {
  /** The bytes to sign. */
  readonly message: Buffer;
  /** The proof of an item that has a leaf. Throws RangeError. */
  proofAt(index: number, signature: Bytes): TreeProof;
}

/** `leaves`: by item of the batch; undefined for an item that was not decided. Returns undefined when none was. */
export function plantBatchTree(
  party: PartyNumber,
  leaves: readonly (Bytes | undefined)[],
  genesisHash: string,
): BatchTree | undefined {
  const planted = leaves.flatMap((leaf, index) => (leaf === undefined ? [] : [{ leaf, index }]));
  if (planted.length === 0) return undefined;
  const tree = plantTree(
    party,
    planted.map(({ leaf }) => leaf),
    genesisHash,
  );
  return {
    message: tree.message,
    proofAt: (index, signature) =>
      tree.proofOf(
        planted.findIndex((one) => one.index === index),
        signature,
      ),
  };
}

export interface BatchPair {
  readonly parties: readonly [PartyNumber, PartyNumber];
  /** By item of the batch. */
  readonly requestIds: readonly string[];
}

/** The partner's tree, which the partner signs and its lead checks. */
export function plantPartnerTree(
  { parties, requestIds }: BatchPair,
  parts: readonly PartnerPart[],
  genesisHash: string,
): BatchTree | undefined {
  const leaves = parts.map((part, index) => {
    if (part.kind === 'contributed') return contributionLeaf(part.receipt);
    return part.kind === 'denied'
      ? partnerDenial({ requestId: requestIds[index]!, parties })
      : undefined;
  });
  return plantBatchTree(parties[1], leaves, genesisHash);
}
