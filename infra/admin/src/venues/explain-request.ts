/**
 * What this release makes of a request to a venue, offline: its class, what rules look at in it, and, where it is of class
 * `unknown`, what made it so. What the vault would set itself is taken out first, as a signed request has it.
 */
import { isRefusal } from '@countersign/core/errors.js';
import { venueFactsView } from '@countersign/vault/views/content-facts-view.js';
import type { Venue, VenueRequest } from '@countersign/venues/engine/venue.js';
import { readVenueRequest } from '@countersign/venues/read-venue-request.js';
import { findVenue, VENUES } from '@countersign/venues/venue-catalogue.js';
import { readPasted, UnreadablePasteError, type PastedRequest } from './pasted-request.js';

export interface ExplainedRequest {
  readonly venue: string;
  /** As a caller of the vault states it. */
  readonly venue_request: VenueRequest;
  /** Parameters that were taken out: the vault sets them. */
  readonly set_by_the_vault: readonly string[];
  /** Its class, and what rules look at: for the kind of key with which it does the gravest thing. */
  readonly reads_as?: Readonly<Record<string, unknown>>;
  /** In its place: why no signature would be made of it, whatever the rules say. */
  readonly refused?: string;
}

/** `pasted`: see {@link readPasted}, whose error it throws, also for a venue that is not known. */
export function explainRequest(venueId: string, pasted: string): ExplainedRequest {
  const venue = findVenue(venueId);
  if (venue === undefined) {
    throw new UnreadablePasteError(`venues: ${VENUES.map(({ id }) => id).join(', ')}`);
  }
  const { request, setByTheVault } = withoutOwned(venue, readPasted(pasted));
  const head = { venue: venueId, venue_request: request, set_by_the_vault: setByTheVault };
  const reading = readVenueRequest(venueId, request);
  if (isRefusal(reading)) return { ...head, refused: reading.message };
  const { facts, orders, others } = reading;
  return {
    ...head,
    reads_as: {
      ...venueFactsView(facts),
      orders,
      other_parameters: others,
      signature_at_the_venue_covers: facts.binds,
    },
  };
}

function withoutOwned(
  { ownedParameters }: Venue,
  { method, target, headers, body }: PastedRequest,
): { request: VenueRequest; setByTheVault: string[] } {
  const owned = new Set(ownedParameters.map((name) => name.toLowerCase()));
  const setByTheVault = new Set<string>();
  const isKept = (name: string): boolean => {
    const isOwned = owned.has(name.toLowerCase());
    if (isOwned) setByTheVault.add(name);
    return !isOwned;
  };
  const formOf = (text: string): string =>
    text
      .split('&')
      .filter((pair) => isKept(pair.split('=')[0]!))
      .join('&');
  const [path = '', ...rest] = target.split('?');
  const stated = bodyOf(headers, body);
  const kept = stated.startsWith('{') ? objectOf(stated, isKept) : formOf(stated);
  return {
    request: { channel: 'rest', method, path, query: formOf(rest.join('?')), body: kept },
    setByTheVault: [...setByTheVault],
  };
}

/** Gemini's parameters travel in a header. */
function bodyOf(headers: PastedRequest['headers'], body: string): string {
  const payload = headers.get('x-gemini-payload');
  return payload === undefined ? body : Buffer.from(payload, 'base64').toString();
}

/** As it stands there, unless something is taken out. */
function objectOf(text: string, isKept: (name: string) => boolean): string {
  let stated: unknown;
  try {
    stated = JSON.parse(text);
  } catch {
    return text;
  }
  const entries = Object.entries(stated as object);
  const kept = entries.filter(([name]) => isKept(name));
  return kept.length === entries.length ? text : JSON.stringify(Object.fromEntries(kept));
}
