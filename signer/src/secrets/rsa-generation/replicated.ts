/**
 * Replicated secret sharing among three parties: v = v_1 + v_2 + v_3, share j held by party j and by the
 * party before it. Party i so holds shares i and next(i) = i mod 3 + 1, learns nothing from them, and
 * any two parties hold all three. Sums and multiples by public numbers are local; products take one
 * message. Works over any ring; values here are BigInt.
 */
import { nextParty } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';

/** Party i's two of three: number i, and number next(i). */
export interface Replicated<T> {
  readonly own: T;
  readonly next: T;
}

export type ByParty<T> = Readonly<Record<PartyNumber, T>>;

export function previousParty(party: PartyNumber): PartyNumber {
  return nextParty(nextParty(party));
}

export function mapReplicated<T, R>(value: Replicated<T>, change: (one: T) => R): Replicated<R> {
  return { own: change(value.own), next: change(value.next) };
}

export function addReplicated(
  left: Replicated<bigint>,
  right: Replicated<bigint>,
): Replicated<bigint> {
  return { own: left.own + right.own, next: left.next + right.next };
}

/**
 * One party's term of x·y: the three terms add up to the product. A term is not uniform by itself, so it leaves the
 * party only with the zero-sharing added. `masks` are drawn from the two pair streams, alike at both holders, and
 * mask_own − mask_next adds up to zero over the parties.
 */
export function productTerm(
  x: Replicated<bigint>,
  y: Replicated<bigint>,
  masks: Replicated<bigint>,
): bigint {
  const product = x.own * y.own + x.own * y.next + x.next * y.own;
  return product + masks.own - masks.next;
}
