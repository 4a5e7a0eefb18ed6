/** Reads a venue request for somebody who believes nobody: this release's own tables classify it and take it apart. */
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { OPERATION_CLASSES } from '@countersign/core/vocabulary.js';
import type { OrderReading, VenueRequest } from './engine/venue.js';
import type { VenueFacts } from './engine/venue-facts.js';
import { findVenue } from './venue-catalogue.js';

export interface RequestReading extends OrderReading {
  /** For the kind of key with which it does the gravest thing: no signed byte tells the key's kind. */
  readonly facts: VenueFacts;
  /** One for each kind of key that the venue takes for it. */
  readonly factsOfKinds: readonly VenueFacts[];
}

/** Reads it for a key that is good at that venue. 404 for a venue that is not known here; 422 as `Venue.plan`. */
export function readVenueRequest(
  venueId: string | undefined,
  request: VenueRequest,
): RequestReading | Refusal {
  const venue = findVenue(venueId ?? '');
  if (venue === undefined) return refuse('not_found', 'nobody names a venue that is known here');
  const plans = (Object.keys(venue.schemes) as KeyType[]).map((type) =>
    venue.plan(request, { type, apiKey: 'key' }),
  );
  const factsOfKinds = plans.flatMap((plan) => (isRefusal(plan) ? [] : [plan.facts]));
  const [facts] = factsOfKinds.toSorted((one, other) => gravityOf(other) - gravityOf(one));
  const reading = venue.readOrders(request);
  if (isRefusal(reading)) return reading;
  return facts === undefined ? plans.find(isRefusal)! : { ...reading, facts, factsOfKinds };
}

function gravityOf({ operationClass }: VenueFacts): number {
  return OPERATION_CLASSES.indexOf(operationClass);
}
