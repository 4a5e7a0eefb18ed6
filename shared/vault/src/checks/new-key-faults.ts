import type { Refusal } from '@countersign/core/errors.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { selectableKey, selectingGroupIds } from '../policy/group-membership.js';
import type { Key, Labels, VaultState } from '../state/state.js';
import { findUnbindableRule } from './unbindable-conditions.js';
import { refuseVenueKey } from './venue-key-faults.js';

/** The fields of a request that makes a key, as the API names them. */
interface NewKeyBody {
  readonly type: Key['type'];
  readonly scheme?: Key['scheme'] | undefined;
  readonly encoding?: string | undefined;
  readonly venue_id?: string | undefined;
  readonly venue_api_key?: string | undefined;
  readonly labels?: Labels | undefined;
}

/**
 * 422 for a key that does not fit its venue, or whose labels put it into a group with a rule that could not hold
 * at that venue.
 */
export function refuseNewKey(
  state: VaultState,
  { venue_id: venueId, venue_api_key: venueApiKey, labels = {}, ...body }: NewKeyBody,
  catalogues: Catalogues,
): Refusal | undefined {
  const { type, encoding } = body;
  const scheme = body.scheme ?? undefined;
  const fault = refuseVenueKey({ type, scheme, encoding, venueId, venueApiKey }, catalogues);
  if (fault !== undefined) return fault;
  for (const groupId of selectingGroupIds(state, selectableKey({ labels }))) {
    const group = state.securityGroups.rows.get(groupId)!;
    const unbindable = findUnbindableRule(state, group, venueId ?? null, catalogues);
    if (unbindable !== undefined) return unbindable;
  }
  return undefined;
}
