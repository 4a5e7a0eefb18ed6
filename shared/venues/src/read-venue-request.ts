/** A venue request as somebody reads it who believes nobody: classified and taken apart by this release's own tables. */
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { OPERATION_CLASSES } from '@countersign/core/vocabulary.js';
import type { OrderReading, VenueFacts, VenueRequest } from './engine/venue.js';
import { findVenue } from './venue-catalogue.js';

export interface RequestReading extends OrderReading {
  /** For the kind of key with which it does the gravest thing: which kind it is, no signed byte says. */
  readonly facts: VenueFacts;
  /** For each kind of key that the venue takes for it. */
  readonly factsOfKinds: readonly VenueFacts[];
}

/** As a request of a key that is good at that venue. 404 for a venue that is not known here; 422 as `Venue.plan`. */
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
