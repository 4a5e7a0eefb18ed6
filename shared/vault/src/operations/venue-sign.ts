import { signWithKeyOperation } from '@countersign/api/operations/signing.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Key } from '../state/state.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { VenuePlan, VenueRequest } from '@countersign/venues/engine/venue.js';
import { refuseEncoding } from '../checks/venue-key-faults.js';
import { refuseKeyTarget } from './key-target.js';
import { findKeyTarget } from './signing-targets.js';
import { signingOperation, type SignedTarget } from './signing-operation.js';

/**
 * Signs a request to the venue that the key is for. Each party composes the bytes for itself, for a moment that the
 * partner chooses. The answer is the complete request, ready to be sent.
 */
export const venueSign = signingOperation({
  ...signWithKeyOperation,
  name: 'sign',
  findTarget: findKeyTarget,
  refuseTarget: refuseKeyTarget,
  prepare(_state, { key }, { body }) {
    const plan = planForKey(key, body.venue_request);
    if (isRefusal(plan)) return plan;
    const venue = findVenue(plan.facts.venueId);
    return {
      scheme: plan.scheme,
      venue: plan,
      nonceUnit: venue?.nonce,
      passphrase: venue?.passphrase,
      messageAt: (moment) => plan.compose(moment).message,
    };
  },
  recompose(target, { body }, { moment, venueApiKey }) {
    const plan = signedPlan(target, body.venue_request, venueApiKey);
    if (isRefusal(plan)) return plan;
    return { scheme: plan.scheme, message: plan.compose(moment).message };
  },
  answer(target, { body }, { signature, moment, venueApiKey, passphrase }, receipt) {
    const plan = signedPlan(target, body.venue_request, venueApiKey);
    if (isRefusal(plan)) throw new Error(`what was signed is no venue request: ${plan.message}`);
    return {
      request: plan.compose(moment).finish(signature, passphrase),
      operation_class: plan.facts.operationClass,
      binds: [...plan.facts.binds],
      receipt,
    };
  },
});

/** The plan, with the identifier that the key had at the venue when it signed. */
function signedPlan(
  { key, venue }: SignedTarget,
  request: VenueRequest,
  venueApiKey: string,
): VenuePlan | Refusal {
  const isSameKey = key.venueApiKey === venueApiKey;
  return (isSameKey ? venue : undefined) ?? planUnder(venueApiKey, key, request);
}

/** The plan of a request at the venue that the key is for. 422 for a key that the venue does not take. */
export function planForKey(key: Key, request: VenueRequest): VenuePlan | Refusal {
  const venue = findVenue(key.venueId ?? '');
  // such a secret is refused before its import: this is for one that got into the ledger all the same
  const fault = venue && refuseEncoding(venue, key.type, key.encoding);
  return fault ?? planUnder(key.venueApiKey, key, request);
}

function planUnder(
  venueApiKey: string | null,
  { venueId, type }: Key,
  request: VenueRequest,
): VenuePlan | Refusal {
  const venue = findVenue(venueId ?? '');
  if (venue === undefined) return refuse('invalid_inputs', 'the key is for no venue: use raw-sign');
  if (venueApiKey === null || venueApiKey === '') {
    return refuse('invalid_inputs', 'the key has no venue_api_key: set it first');
  }
  return venue.plan(request, { type, apiKey: venueApiKey });
}
