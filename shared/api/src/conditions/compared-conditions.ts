/** The conditions of a rule that are compared with a venue request: of no use to whoever only keeps the rule. */
import type { VenueCondition } from '@countersign/venues/engine/venue-facts.js';
import type { Condition, KeptConditions } from './condition.js';
import { CONDITIONS } from './conditions.js';
import { statedBy } from './stated-conditions.js';

export function lastAtVenues(conditions: readonly Condition[]): Condition[] {
  const isLast = (condition: Condition) => condition.isLastAtVenues === true;
  return [...conditions.filter((one) => !isLast(one)), ...conditions.filter(isLast)];
}

const COMPARED = lastAtVenues(
  CONDITIONS.filter((one) => one.turn === 'content' && one.parts !== undefined),
);

const COUNTED = CONDITIONS.filter((one) => one.turn !== 'content' && one.parts !== undefined);

/** Conditions that are compared with parts of a venue request, in the order of testing. */
export function comparedBy(when: KeptConditions): Condition[] {
  return statedBy(when, COMPARED);
}

/** The parts of a venue request that the venue's signature must cover for the rule to mean anything. */
export function partsNamedBy(when: KeptConditions): VenueCondition[] {
  return [...comparedBy(when), ...statedBy(when, COUNTED)].flatMap((one) => [
    ...one.parts!(when[one.field]),
  ]);
}
