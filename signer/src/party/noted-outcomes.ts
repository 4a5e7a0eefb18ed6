/** What a party remembers of the outcomes of the ledger's entries, from the genesis on. */
import { toHex } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ChainHead } from '@countersign/core/party-statements.js';
import type { OutcomeMemory } from '@countersign/runtime/ledger/fold-snapshots.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { z } from 'zod';
import { noteAnchors, noteHeads } from '../records/anchored-heads.js';
import { isFreezeInForce } from './primary.js';

export interface NotedOutcomes extends OutcomeMemory {
  /** Sequence number of the newest freeze that two parties have judged; 0 for none. */
  readonly newestFreeze: number;
  /** Where the party's chains of records stood when it anchored them last, by chain. */
  readonly anchored: Map<string, ChainHead>;
  note(outcomes: readonly EntryOutcome[]): void;
}

const savedSchema = z.strictObject({
  newest_freeze: z.int().nonnegative(),
  anchored: z.array(
    z.strictObject({
      chain_id: z.string(),
      seq: z.int().positive(),
      hash: z.hex().length(64),
    }),
  ),
});

export function createNotedOutcomes(party: PartyNumber): NotedOutcomes {
  const anchored = new Map<string, ChainHead>();
  let newestFreeze = 0;
  return {
    name: 'noted_outcomes',
    get newestFreeze() {
      return newestFreeze;
    },
    anchored,
    note(outcomes) {
      newestFreeze = outcomes.findLast(isFreezeInForce)?.seq ?? newestFreeze;
      noteAnchors(anchored, party, outcomes);
    },
    save(): z.input<typeof savedSchema>[] {
      const heads = [...anchored.values()].map(({ chainId, seq, hash }) => ({
        ...{ chain_id: chainId, seq },
        hash: toHex(hash),
      }));
      return [{ newest_freeze: newestFreeze, anchored: heads }];
    },
    load(saved) {
      const [{ newest_freeze: newest, anchored: heads }] = z.tuple([savedSchema]).parse([...saved]);
      return () => {
        newestFreeze = newest;
        const read = heads.map(({ chain_id: chainId, seq, hash }) => ({
          ...{ chainId, seq },
          hash: Buffer.from(hash, 'hex'),
        }));
        noteHeads(anchored, read);
      };
    },
  };
}
