/** What happened in a run that a promise of the ledger speaks of, in the order in which it happened. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { Place } from './lying-store.js';
import type { ModelRequest } from './model-vault.js';

/** An honest party says that it has pinned a place. */
export interface SpokenStatement {
  readonly party: PartyNumber;
  readonly head: Place;
  /** By its clock, ms. */
  readonly at: number;
  readonly rules: number;
}

/** A node takes it that two parties have judged a request. */
export interface Judged {
  readonly place: Place;
  readonly request: ModelRequest;
  readonly outcome: EntryOutcome;
}

/** How far a party had folded the log. */
export interface Standpoint {
  readonly party: PartyNumber;
  readonly head: Place;
}

export type Happening =
  | { readonly kind: 'answered'; readonly place: Place; readonly request: ModelRequest }
  /** An honest party says that it obeys all freezes up to a place. */
  | { readonly kind: 'obeyed'; readonly party: PartyNumber; readonly head: Place }
  /** An honest partner gives its part away. */
  | {
      readonly kind: 'contributed';
      readonly party: PartyNumber;
      readonly named: Place;
      /** How far the party had folded the log. */
      readonly head: Place;
    }
  /** A signature leaves its lead, which is told or recorded. */
  | {
      readonly kind: 'signed';
      readonly named: Place;
      /** The honest ones of the pair: the lead now, the partner as it was when it gave its part. */
      readonly lead: Standpoint | undefined;
      readonly partner: Standpoint | undefined;
    };

export interface Happenings {
  readonly statements: SpokenStatement[];
  readonly judged: Judged[];
  readonly inOrder: Happening[];
  /** What stopped a node that nothing may stop. */
  readonly faults: Error[];
}

export function noHappenings(): Happenings {
  return { statements: [], judged: [], inOrder: [], faults: [] };
}
