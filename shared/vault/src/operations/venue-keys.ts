import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';

/**
 * 422 when the venue is one the vault signs for and does not take keys like this one. Any other id may
 * name a venue too: such keys sign raw messages, and are frozen by it.
 */
export function refuseVenueKey(key: {
  readonly type: KeyType;
  readonly scheme?: SignatureScheme | undefined;
  readonly encoding?: string | undefined;
  readonly venueId?: string | undefined;
  readonly venueApiKey?: string | undefined;
}): Refusal | undefined {
  if (key.venueId === undefined) return undefined;
  const venue = findVenue(key.venueId);
  if (venue === undefined) return undefined;
  const scheme = venue.schemes[key.type];
  if (scheme === undefined) {
    const types = Object.keys(venue.schemes).join(', ');
    return refuse('invalid_inputs', `type: ${venue.displayName} takes keys of type ${types}`);
  }
  if (key.scheme !== undefined && key.scheme !== scheme) {
    return refuse('invalid_inputs', `scheme: ${venue.displayName} wants ${scheme}`);
  }
  const encodings: readonly string[] = venue.hmacSecretEncodings;
  if (key.type === 'hmac' && !encodings.includes(key.encoding ?? '')) {
    const wanted = encodings.join(' or ');
    return refuse('invalid_inputs', `encoding: ${venue.displayName} gives secrets as ${wanted}`);
  }
  return refuseVenueApiKey(venue.id, key.venueApiKey);
}

/** 422 when the key's identifier is none that the venue gives; null and undefined stand for no identifier. */
export function refuseVenueApiKey(
  venueId: string | null,
  apiKey: string | null | undefined,
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
