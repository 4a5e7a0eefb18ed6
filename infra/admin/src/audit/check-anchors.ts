/** Whether every record that a party anchored is there, and how far records are anchored. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { AuditFault } from './audit-fault.js';
import type { LinksBySeq } from './check-chain.js';

/** A party's chains of records, by their ids. */
export type ChainsOfParty = ReadonlyMap<string, LinksBySeq>;

export interface AnchorCheck {
  readonly faults: AuditFault[];
  /** Up to which record each chain is anchored, by its id. */
  readonly anchored: ReadonlyMap<string, number>;
  /** When the party anchored last, ms. */
  readonly at: number | undefined;
}

export function checkAnchors(
  party: PartyNumber,
  outcomes: readonly EntryOutcome[],
  chains: ChainsOfParty,
): AnchorCheck {
  const faults: AuditFault[] = [];
  const anchored = new Map<string, number>();
  let last: number | undefined;
  for (const { seq: entry, actorId, anchored: heads = [], at } of outcomes) {
    if (actorId !== `party_${party}` || heads.length === 0) continue;
    last = at;
    for (const { chainId, seq, hash } of heads) {
      anchored.set(chainId, Math.max(seq, anchored.get(chainId) ?? 0));
      const record = chains.get(chainId)?.get(seq);
      const where = `party_${party} ${chainId} ${seq}`;
      if (record === undefined) {
        const what = `it is not there, and was anchored by ledger ${entry}`;
        faults.push({ name: 'anchored-record-missing', where, what });
      } else if (record.hash !== Buffer.from(hash).toString('hex')) {
        const what = `it is another one than was anchored by ledger ${entry}`;
        faults.push({ name: 'anchored-record-changed', where, what });
      }
    }
  }
  return { faults, anchored, at: last };
}
