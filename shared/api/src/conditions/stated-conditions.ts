/** What a signing rule states, and what it covers without stating it. */
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

const PRICED = CONDITIONS.filter((one) => one.needsPrices !== undefined);

/** The first condition that cannot be decided without prices. */
export function pricedBy(when: KeptConditions): Condition | undefined {
  return statedBy(when, PRICED).find((one) => one.needsPrices!(when[one.field]));
}
