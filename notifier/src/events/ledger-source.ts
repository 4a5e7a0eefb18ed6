/** The ledger as a source of events, which are all kept in memory. */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { eventsOfOutcome } from './ledger-events.js';
import type { VaultEvent } from './vault-event.js';

export interface LedgerSource {
  /** Must be told of every entry, from the first one on. */
  hear(outcomes: readonly EntryOutcome[]): void;
  /** Events that were not {@link LedgerSource.forget forgotten} yet, and the last entry that they cover. */
  untaken(): { readonly events: readonly VaultEvent[]; readonly seq: number };
  /** Notes that so many of the oldest were stored; `find` still finds them. */
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
