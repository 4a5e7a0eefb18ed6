/** The ledger as a source of events: what it made happen, all of it, in memory. */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { eventsOfOutcome } from './ledger-events.js';
import type { VaultEvent } from './vault-event.js';

export interface LedgerSource {
  /** Every entry is to be told here, from the first one on. */
  hear(outcomes: readonly EntryOutcome[]): void;
  /** What has not been {@link LedgerSource.forget forgotten} yet, and up to which entry that is all. */
  untaken(): { readonly events: readonly VaultEvent[]; readonly seq: number };
  /** So many of the oldest have been written down. They are found all the same. */
  forget(count: number): void;
  find(eventId: string): VaultEvent | undefined;
}

export function createLedgerSource(): LedgerSource {
  const byId = new Map<string, VaultEvent>();
  let untaken: VaultEvent[] = [];
  let seq = 0;
  return {
    hear(outcomes) {
      for (const outcome of outcomes) {
        const events = eventsOfOutcome(outcome);
        for (const event of events) byId.set(event.id, event);
        untaken.push(...events);
        seq = outcome.seq;
      }
    },
    untaken: () => ({ events: [...untaken], seq }),
    forget(count) {
      untaken = untaken.slice(count);
    },
    find: (eventId) => byId.get(eventId),
  };
}
