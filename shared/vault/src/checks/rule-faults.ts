import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { isSelected, selectableKey } from '../policy/group-membership.js';
import type { Rule, SecurityGroup, VaultState } from '../state/state.js';
import { findSlip, findOwnFault } from './own-faults.js';
import { findMisspeltAsset, findMisspeltSymbol } from './misspelt-names.js';
import { findUnvaluable } from './unvaluable-rules.js';
import { findUnbindableCondition } from './unbindable-conditions.js';

/**
 * 422, naming the rule by its index, if it names an unknown network or venue, can never match, or lets money leave
 * without a bound. It also does so if it writes a symbol or an asset as nobody does, or if the signature of a venue in question does not bind its condition. `rules` are
 * those that a policy of the group is to have.
 */
export function findRuleFault(
  state: VaultState,
  group: SecurityGroup,
  rules: readonly Rule[],
  catalogues: Catalogues,
): Refusal | undefined {
  const venueIds = venuesOfGroup(state, group);
  for (const [index, rule] of rules.entries()) {
    const named = rule.when.venueIds ?? venueIds;
    const fault =
      findNetworkFault(state, rule, catalogues) ??
      findVenueFault(state, rule, catalogues) ??
      findSlip(rule) ??
      findMisspeltSymbol(rule, named, catalogues) ??
      findMisspeltAsset(state, rule, catalogues) ??
      findUnbindableCondition(rule.when, named, catalogues) ??
      findUnvaluable(rule, named, catalogues) ??
      findOwnFault(rule, rules.slice(0, index));
    if (fault !== undefined) return refuse('invalid_inputs', `rules.${index}: ${fault}`);
  }
  return undefined;
}

function findNetworkFault(
  { settings }: VaultState,
  { when: { networks = [] } }: Rule,
  { findNetwork }: Catalogues,
): string | undefined {
  const found = networks.map((id) => findNetwork(id));
  if (found.includes(undefined)) return 'names an unknown network';
  return !settings.testnetsEnabled && found.some((network) => network?.is_testnet === true)
    ? 'names a testnet while testnets are disabled'
    : undefined;
}

/** A venue that is neither in the catalogue nor any key's is a mistake. */
function findVenueFault(
  { keys }: VaultState,
  { when: { venueIds = [] } }: Rule,
  { findVenue }: Catalogues,
): string | undefined {
  const isKnown = (id: string) =>
    findVenue(id) !== undefined || keys.rows.some((key) => key.venueId === id);
  return venueIds.every(isKnown) ? undefined : 'names an unknown venue';
}

/** The venues of the group's keys: a rule without `venue_ids` is about those. */
function venuesOfGroup(state: VaultState, group: SecurityGroup): string[] {
  const named = group.members.flatMap(({ id }) => state.keys.rows.get(id)?.venueId ?? []);
  return [...new Set([...named, ...venuesSelectedBy(state, group)])];
}

/** The venues of the keys that the group selects, each once. Looks at every key. */
export function venuesSelectedBy({ keys }: VaultState, group: SecurityGroup): string[] {
  if (group.selector === undefined) return [];
  const selected = [...keys.rows.values()].filter(
    (key) => key.walletId === null && isSelected(group, selectableKey(key)),
  );
  return [...new Set(selected.flatMap(({ venueId }) => venueId ?? []))];
}
