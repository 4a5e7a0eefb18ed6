/** Finds conditions that cannot hold at a venue because its signature does not bind what they look at. */
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { Venue } from '@countersign/venues/engine/venue.js';
import { partsNamedBy } from '@countersign/api/conditions/compared-conditions.js';
import type { RuleConditions, SecurityGroup, VaultState } from '../state/state.js';

/** Tells what a venue's signature does not bind. */
interface Venues {
  findVenue(id: string): Pick<Venue, 'unbindable'> | undefined;
}

/** Why a rule with this condition cannot hold at one of the venues, or undefined. */
export function findUnbindableCondition(
  when: RuleConditions,
  venueIds: readonly string[],
  { findVenue }: Venues,
): string | undefined {
  const parts = partsNamedBy(when);
  for (const venueId of venueIds) {
    for (const part of parts) {
      const reason = findVenue(venueId)?.unbindable(part);
      if (reason !== undefined) return `${part}: ${reason}`;
    }
  }
  return undefined;
}

/** 422 when a rule of the group states a condition that cannot hold at the new member's venue. */
export function findUnbindableRule(
  state: VaultState,
  group: SecurityGroup,
  venueId: string | null,
  catalogues: Venues,
): Refusal | undefined {
  if (venueId === null) return undefined;
  for (const policyId of group.signingPolicyIds) {
    for (const rule of state.signingPolicies.rows.get(policyId)?.rules ?? []) {
      const applies = rule.when.venueIds?.includes(venueId) ?? true;
      const reason = applies
        ? findUnbindableCondition(rule.when, [venueId], catalogues)
        : undefined;
      if (reason !== undefined) {
        return refuse('invalid_inputs', `members: the rule "${rule.displayName}": ${reason}`);
      }
    }
  }
  return undefined;
}
