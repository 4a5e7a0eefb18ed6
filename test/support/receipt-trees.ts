/** Receipts as the two parties of a pair give them: each signs one tree for all of a batch. */
import { contributionLeaf, signatureLeaf, type ProvenReceipt } from '@countersign/api/receipt.js';
import { plantTree } from '@countersign/api/signed-tree.js';
import type { PartyNumber } from '@countersign/core/parties.js';

export type UnprovenReceipt = Omit<ProvenReceipt, 'proofs'>;

/** `batch`: at least one, and all of one pair. `signAs`: with that party's identity key. */
export function proveBatch(
  batch: readonly UnprovenReceipt[],
  genesisHash: string,
  signAs: (party: PartyNumber, message: Buffer) => Buffer,
): ProvenReceipt[] {
  const [lead, partner] = batch[0]!.receipt.parties;
  const ofLead = batch.map((one) => signatureLeaf(one.receipt, one));
  const ofPartner = batch.map(({ receipt }) => contributionLeaf(receipt));
  const [first, second] = [
    plantTree(lead, ofLead, genesisHash),
    plantTree(partner, ofPartner, genesisHash),
  ];
  const signatures = [signAs(lead, first.message), signAs(partner, second.message)] as const;
  return batch.map((one, index) => ({
    ...one,
    proofs: [first.proofOf(index, signatures[0]), second.proofOf(index, signatures[1])],
  }));
}
