/** What tests of conditions have in common. */
import type { ConditionedRule, KeptConditions, Tested } from './condition.js';

export function heldIf(holds: boolean): Tested {
  return { result: holds ? 'holds' : 'fails' };
}

/** A condition that nobody can tell denies the request: it never falls through to a later, wider rule. */
export function untold(reason: string): Tested {
  return { result: 'error', reason };
}

/** A rule that allows must cover all values of a request; one that denies needs one. With no values, nothing holds. */
export function heldOf<Value>(
  values: readonly Value[],
  { then }: ConditionedRule,
  isWanted: (value: Value) => boolean,
): Tested {
  return heldIf(
    values.length > 0 && (then === 'deny' ? values.some(isWanted) : values.every(isWanted)),
  );
}

/** The rule's value of another condition. */
export function keptOf<Kept>(
  { field }: { readonly field: string; keep(stated: never): Kept },
  when: KeptConditions,
): Kept | undefined {
  return when[field] as Kept | undefined;
}
