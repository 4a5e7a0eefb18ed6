import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { Venue } from '@countersign/venues/engine/venue.js';
import type { Catalogues } from '../catalogues/catalogues.js';

type Venues = Pick<Catalogues, 'findVenue'>;

/**
 * 422 when the venue is one the vault signs for and does not take keys like this one. Any other id may
 * name a venue too: such keys sign raw messages, and are frozen by it.
 */
export function refuseVenueKey(
  key: {
    readonly type: KeyType;
    readonly scheme?: SignatureScheme | undefined;
    readonly encoding?: string | undefined;
    readonly venueId?: string | undefined;
    readonly venueApiKey?: string | undefined;
  },
  catalogues: Venues,
): Refusal | undefined {
  if (key.venueId === undefined) return undefined;
  const venue = catalogues.findVenue(key.venueId);
  if (venue === undefined) return undefined;
  const scheme = venue.schemes[key.type];
  if (scheme === undefined) {
    const types = Object.keys(venue.schemes).join(', ');
    return refuse('invalid_inputs', `type: ${venue.displayName} takes keys of type ${types}`);
  }
  if (key.scheme !== undefined && key.scheme !== scheme) {
    return refuse('invalid_inputs', `scheme: ${venue.displayName} wants ${scheme}`);
  }
  return (
    refuseEncoding(venue, key.type, key.encoding) ??
    refuseVenueApiKey(venue.id, key.venueApiKey, catalogues)
  );
}

/**
 * 422 when an HMAC secret was written otherwise than the venue writes its secrets: it would be read as another secret.
 */
export function refuseEncoding(
  { displayName, hmacSecretEncodings }: Venue,
  type: KeyType,
  encoding: string | null | undefined,
): Refusal | undefined {
  const encodings: readonly string[] = hmacSecretEncodings;
  if (type !== 'hmac' || encodings.includes(encoding ?? '')) return undefined;
  const wanted = encodings.join(' or ');
  return refuse('invalid_inputs', `encoding: ${displayName} gives secrets as ${wanted}`);
}

/** 422 when the venue gives no such identifier to keys; null and undefined stand for no identifier. */
export function refuseVenueApiKey(
  venueId: string | null,
  apiKey: string | null | undefined,
  { findVenue }: Venues,
): Refusal | undefined {
  const venue = findVenue(venueId ?? '');
  if (venue?.apiKeyPattern === undefined || apiKey == null) return undefined;
  return venue.apiKeyPattern.test(apiKey)
    ? undefined
    : refuse(
        'invalid_inputs',
        `venue_api_key: ${venue.displayName} gives out no API keys of this form`,
      );
}
