/**
 * Who owns each public key for good. A key is known by it in several ways, see {@link MarkPlace}. Each of these marks
 * belongs to the first key that had it, even when that key no longer has it or another gets it. Usually they all
 * belong to one key, and only its id is kept.
 */
import { Map } from 'immutable';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Identified, IndexRule } from './table.js';

export const STATED = 0;
export const GENERATED = 4;

/**
 * How a public key is known: as stated for a key or attested by all parties; as attested by the party of that number;
 * or as a key that the parties made together.
 */
export type MarkPlace = typeof STATED | PartyNumber | typeof GENERATED;

const PLACES: readonly MarkPlace[] = [STATED, ...PARTY_NUMBERS, GENERATED];

export interface PublicKeyMark {
  /** The same for one public key and for no other, see `publicKeyPrint`. */
  readonly print: string;
  readonly place: MarkPlace;
}

/** The id of the key that owns all the marks, or the owner of each by its place; null: nobody yet. */
export type MarkOwners = string | readonly (string | null)[];

/** Keyed by print. */
export type PublicKeyOwners = Map<string, MarkOwners>;

export function ownerOf(
  owners: PublicKeyOwners,
  { print, place }: PublicKeyMark,
): string | undefined {
  const held = owners.get(print);
  return typeof held === 'object' ? (held[place] ?? undefined) : held;
}

/**
 * `newMarksOf`: at least the marks of a row that it had not before. Operations refuse a second key with a public key
 * that the parties made together. One that gets here is a mistake in one of them, and throws.
 */
export function publicKeyOwners<Row extends Identified>(
  newMarksOf: (after: Row, before: Row | undefined) => readonly PublicKeyMark[],
): IndexRule<Row, PublicKeyOwners> {
  return {
    empty: Map(),
    keep(owners, before, after) {
      if (after === undefined) return owners;
      const marks = newMarksOf(after, before);
      return marks.reduce((kept, mark) => owned(kept, mark, after.id), owners);
    },
  };
}

function owned(owners: PublicKeyOwners, mark: PublicKeyMark, id: string): PublicKeyOwners {
  const owner = ownerOf(owners, mark);
  if (owner !== undefined) {
    if (mark.place !== GENERATED || owner === id) return owners;
    throw new Error(`row ${id} has what is row ${owner}'s alone`);
  }
  const held = owners.get(mark.print) ?? [];
  const now = PLACES.map((place) => (place === mark.place ? id : (held[place] ?? null)));
  return owners.set(mark.print, now.every((one) => one === id) ? id : now);
}
