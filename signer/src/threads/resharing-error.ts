import type { PartyNumber } from '@countersign/core/parties.js';

/** Ends a resharing: somebody does not follow the protocol. Messages never carry secret values. */
export class ResharingError extends Error {
  /**
   * The party that this one found out, at first hand and for certain. Undefined while it could be either of two. It
   * proves nothing to others: nothing here is signed.
   */
  readonly party: PartyNumber | undefined;

  constructor(message: string, party?: PartyNumber) {
    super(message);
    this.name = 'ResharingError';
    this.party = party;
  }
}
