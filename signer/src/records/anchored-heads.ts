/** Decides from values alone what a party has anchored of its chains of records, and what it has to anchor next. */
import { asBuffer } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { type ChainHead, MAX_ANCHORED_CHAINS } from '@countersign/core/party-statements.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';

/** The newest anchored head of each chain, by the chain's id. */
export type AnchoredHeads = ReadonlyMap<string, ChainHead>;

/** Takes what the ledger says that this party anchored: this is what it knows after a restart. */
export function noteAnchors(
  anchored: Map<string, ChainHead>,
  party: PartyNumber,
  outcomes: readonly Pick<EntryOutcome, 'actorId' | 'anchored'>[],
): void {
  for (const { actorId, anchored: heads = [] } of outcomes) {
    if (actorId === `party_${party}`) noteHeads(anchored, heads);
  }
}

export function noteHeads(anchored: Map<string, ChainHead>, heads: readonly ChainHead[]): void {
  for (const head of heads) {
    if (head.seq > (anchored.get(head.chainId)?.seq ?? 0)) anchored.set(head.chainId, head);
  }
}

/** The heads that have moved since they were anchored, as many as a statement may have. */
export function headsToAnchor(anchored: AnchoredHeads, heads: readonly ChainHead[]): ChainHead[] {
  const moved = heads.filter(({ chainId, seq }) => seq > (anchored.get(chainId)?.seq ?? 0));
  return moved.slice(0, MAX_ANCHORED_CHAINS);
}

/**
 * Finds an anchored head that the records lack or contradict: they were rolled back or rewritten. `found`: the records
 * at the anchored places, by chain.
 */
export function findLostAnchor(
  anchored: AnchoredHeads,
  found: ReadonlyMap<string, ChainHead>,
): ChainHead | undefined {
  return [...anchored.values()].find(({ chainId, seq, hash }) => {
    const record = found.get(chainId);
    return record?.seq !== seq || !asBuffer(record.hash).equals(asBuffer(hash));
  });
}
