/** At which venue the signing key is good: computed here of the ledger entry that made it, where the record has that entry. */
import { venueOfKey } from '@countersign/core/key-birth.js';
import { signerOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

/** `proven`: by the key's own id. `said`: by this gateway alone. `false`: this gateway says another than the key's id does. */
export type VenueWord = 'proven' | 'said' | 'false';

export interface NamedVenue {
  /** What the key's own id proves, where it does; otherwise what this gateway says. */
  readonly id: string | undefined;
  readonly word: VenueWord;
}

/** Undefined where no venue is named. */
export function signerVenue({
  content,
  facts,
  key_entry: entry,
}: RequestRecord): NamedVenue | undefined {
  const said = facts?.venue_id;
  if (entry === undefined) return said === undefined ? undefined : { id: said, word: 'said' };
  const signer = content === undefined ? undefined : signerOf(content);
  const proven =
    signer !== undefined && 'keyId' in signer ? venueOfKey(signer.keyId, entry) : undefined;
  const isTrue = proven !== undefined && (said === undefined || said === proven);
  return { id: proven ?? undefined, word: isTrue ? 'proven' : 'false' };
}

/** Undefined where no venue is named. */
export function venueWordOf(record: RequestRecord): VenueWord | undefined {
  return signerVenue(record)?.word;
}
