/** Which conditions of a rule are compared with a request: of no use to whoever only keeps the rule. */
import type { VenueCondition } from '@countersign/venues/engine/venue-facts.js';
import type { Condition, ContentKind, KeptConditions } from './condition.js';
import { CONDITIONS } from './conditions.js';

export function statedBy(when: KeptConditions, among = CONDITIONS): Condition[] {
  return among.filter(({ field }) => when[field] !== undefined);
}

export function canHoldOf({ reads }: Condition, kind: ContentKind | undefined): boolean {
  return reads === undefined || (kind !== undefined && reads.includes(kind));
}

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
