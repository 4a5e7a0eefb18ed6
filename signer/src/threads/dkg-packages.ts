/** What the parties of a distributed key generation send each other. */
import type { PartyNumber } from '@countersign/core/parties.js';

/** The round-1 packages of participants 1, 2 and 3, in that order. */
export type RoundOnePackages = readonly [Uint8Array, Uint8Array, Uint8Array];

/** A secret package for one other participant. */
export interface RoundTwoPackage {
  readonly recipient: PartyNumber;
  /** 36 bytes: version 1 ‖ round 2 ‖ sender ‖ recipient ‖ 32-byte scalar. Secret. */
  readonly bytes: Uint8Array;
}
