import { describe, expect, it } from '@jest/globals';
import { schemeOfKey } from './open-values.js';
import { CATALOGUES } from './todays-catalogues.js';

describe('the scheme of a key', () => {
  const open = { scheme: null, type: 'hmac', venueId: 'bitfinex' } as const;

  it('is the one that is stated, whatever the venue wants', () => {
    expect(schemeOfKey({ ...open, scheme: 'hmac_sha256' }, CATALOGUES)).toBe('hmac_sha256');
  });

  it("is the venue's where none is stated", () => {
    expect(schemeOfKey(open, CATALOGUES)).toBe('hmac_sha384');
  });

  it.each([
    ['no venue', { ...open, venueId: null }],
    ['a venue that no catalogue knows', { ...open, venueId: 'venue_a' }],
    ['a venue without such keys', { ...open, venueId: 'coinbase_advanced' }],
  ])('is the first of its type at %s', (_name, key) => {
    expect(schemeOfKey(key, CATALOGUES)).toBe('hmac_sha256');
  });
});
