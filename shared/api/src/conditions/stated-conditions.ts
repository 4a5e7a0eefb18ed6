/** What a signing rule states, and what it covers without stating it. */
import type { VenueCondition } from '@countersign/venues/engine/venue.js';
import type { Condition, ConditionedRule, ContentKind, KeptConditions } from './condition.js';
import { CONDITIONS, type RuleConditions } from './conditions.js';

/** Converts conditions to the state's form; `stated` has a request's, by name. */
export function keptConditions(stated: Readonly<Record<string, unknown>>): RuleConditions {
  return Object.fromEntries(
    CONDITIONS.flatMap((one) =>
      stated[one.name] === undefined ? [] : [[one.field, one.keep(stated[one.name])]],
    ),
  );
}

/** Converts conditions to an answer's form, by name. */
export function shownConditions(when: KeptConditions): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    CONDITIONS.flatMap((one) =>
      when[one.field] === undefined ? [] : [[one.name, one.show(when[one.field])]],
    ),
  );
}

export function statedBy(when: KeptConditions, among = CONDITIONS): Condition[] {
  return among.filter(({ field }) => when[field] !== undefined);
}

/** The value that the rule wants for it; undefined for any. */
export function wantedBy({ when, then }: ConditionedRule, condition: Condition): unknown {
  return when[condition.field] ?? condition.unstated?.(then === 'deny');
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
const PRICED = CONDITIONS.filter((one) => one.needsPrices !== undefined);

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

/** The first condition that cannot be decided without prices. */
export function pricedBy(when: KeptConditions): Condition | undefined {
  return statedBy(when, PRICED).find((one) => one.needsPrices!(when[one.field]));
}

/** Whether a rule with these conditions looks at the content of a request. Nothing is known of raw bytes. */
export function speaksOfContent(when: KeptConditions): boolean {
  return pricedBy(when) !== undefined || statedBy(when).some(({ reads }) => reads !== undefined);
}
