/** At which venue the signing key is good: computed here of the ledger entry that made it, where the record has that entry. */
import { venueOfKey } from '@countersign/core/key-birth.js';
import { signerOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

/** `proven`: by the key's own id. `said`: by this gateway alone. `false`: this gateway says another than the key's id does. */
export type VenueWord = 'proven' | 'said' | 'false';

/** Undefined where no venue is named. */
export function venueWordOf({
  content,
  facts,
  key_entry: entry,
}: RequestRecord): VenueWord | undefined {
  const said = facts?.venue_id;
  if (entry === undefined) return said === undefined ? undefined : 'said';
  const signer = content === undefined ? undefined : signerOf(content);
  const venue =
    signer !== undefined && 'keyId' in signer ? venueOfKey(signer.keyId, entry) : undefined;
  return venue !== undefined && (said === undefined || said === venue) ? 'proven' : 'false';
}
