/** A value that the state leaves open (null), as a release with these catalogues reads it. */
import { SCHEMES_BY_KEY_TYPE, type SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { Key } from '../state/state.js';
import type { Catalogues } from './catalogues.js';

/** What the key signs with when a request names no scheme. */
export function schemeOfKey(
  { scheme, type, venueId }: Pick<Key, 'scheme' | 'type' | 'venueId'>,
  { findVenue }: Pick<Catalogues, 'findVenue'>,
): SignatureScheme {
  return scheme ?? findVenue(venueId ?? '')?.schemes[type] ?? SCHEMES_BY_KEY_TYPE[type][0];
}
