/** A rule that allows, tried on one request by the functions that signing uses. */
import { isRefusal } from '@countersign/core/errors.js';
import type { Rule } from '@countersign/vault/state/state.js';
import { askedOf, testContent } from '@countersign/vault/policy/asked-conditions.js';
import type { SigningFacts } from '@countersign/vault/policy/signing-policy.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';

export const post = (path: string, body: object): Partial<VenueRequest> => ({
  path,
  body: JSON.stringify(body),
});

export type Conditions = Rule['when'];

/** What a rule that allows, with these conditions, comes to: by the functions that signing uses. */
export function tryRule(
  venueId: string,
  request: Partial<VenueRequest>,
  when: Conditions,
): 'refused' | 'holds' | 'fails' | 'error' {
  const venue = findVenue(venueId)!;
  const keyType = Object.keys(venue.schemes)[0] as KeyType;
  const whole = { method: 'POST', path: '', query: '', body: '', channel: 'rest', ...request };
  const plan = venue.plan(whole as VenueRequest, { type: keyType, apiKey: 'key' });
  if (isRefusal(plan)) return 'refused';
  const rule: Rule = { id: 'r', displayName: 'r', enabled: true, when, then: 'allow' };
  return testOnVenueRequest(rule, plan.facts).result;
}

/** What its conditions on the content of a venue request come to. */
export function testOnVenueRequest(rule: Rule, venue: VenueFacts | undefined) {
  return testContent(
    rule,
    askedOf(
      { venue } as SigningFacts,
      () => ({ result: 'none' }),
      () => undefined,
    ),
  );
}

export const okx = (path: string, body: object) => post(`/api/v5/${path}`, body);
const form = (path: string, body: string): Partial<VenueRequest> => ({ path, body });
export const kraken = (path: string, body: string) => form(`/0/private/${path}`, body);
export const futures = (path: string, body: string) => form(`/derivatives/api/v3/${path}`, body);
export const deribit = (path: string, query: string): Partial<VenueRequest> => ({
  method: 'GET',
  path: `/api/v2/private/${path}`,
  query,
});
export const bitfinex = (path: string, body: object) => post(`/v2/auth/w/${path}`, body);
export const gate = (method: string, path: string, query: string): Partial<VenueRequest> => ({
  method,
  path: `/api/v4/${path}`,
  query,
});

export const order = (symbol: string, max: string): Conditions => ({
  operationClasses: ['cancel', 'trade'],
  symbols: [symbol],
  sides: ['buy'],
  amount: { max },
});
export const move = (
  operationClass: 'transfer' | 'withdraw',
  symbol: string,
  max: string,
): Conditions => ({
  operationClasses: [operationClass],
  symbols: [symbol],
  amount: { max },
});
export const market = (symbol: string): Conditions => ({
  operationClasses: ['cancel', 'trade'],
  symbols: [symbol],
});

export type Case = readonly [
  name: string,
  venueId: string,
  request: Partial<VenueRequest>,
  when: Conditions,
];
