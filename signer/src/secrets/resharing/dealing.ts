/** What the forms of resharing have in common, one for each form of share. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ResharingContext, ResharingDeal } from '../../threads/resharing-tasks.js';

/** A party in a resharing. */
export interface ResharingPlace {
  readonly self: PartyNumber;
  readonly context: ResharingContext;
}

/** What a dealer has drawn, until it is wiped. */
export interface Dealing {
  /** In memory of its own, as posting a view posts all that is behind it. */
  readonly published: Uint8Array;
  /** Secret, in memory of its own. */
  pieceFor(to: PartyNumber): Uint8Array;
  /** Takes this party's new share, given the other dealer's deal. Throws `ResharingError`. */
  take(deal: ResharingDeal): TakenShare;
  wipe(): void;
}

/** A new share that the parties have not compared yet. */
export interface TakenShare {
  /** What this party says of it to both others. */
  readonly statement: Uint8Array;
  /**
   * Compares what the others say with it. `secret` is the share as it is sealed, which the caller wipes; `publicValues`
   * are the same at all parties. Throws `ResharingError`.
   */
  finish(statements: ReadonlyMap<PartyNumber, Uint8Array>): {
    readonly secret: Uint8Array;
    readonly publicValues: Uint8Array;
  };
  wipe(): void;
}

/** Throws for a party that is no dealer. */
export function otherDealer({ self, context }: ResharingPlace): PartyNumber {
  const [first, second] = context.dealers;
  if (self !== first && self !== second) throw new RangeError(`party ${self} deals nothing`);
  return self === first ? second : first;
}
