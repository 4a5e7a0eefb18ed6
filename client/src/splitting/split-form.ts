import type { PrivatePart, PublicPackage } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';

/** Gives that many random bytes. A parameter so that a test can repeat a splitting. */
export type RandomSource = (length: number) => Buffer;

export interface SplitSecret {
  readonly common: PublicPackage;
  /** Two of them are the secret. */
  readonly parts: Readonly<Record<PartyNumber, PrivatePart>>;
}
