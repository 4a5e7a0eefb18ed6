/**
 * A setting is never off while something new rests on it. The fold ensures this where two racing requests come one
 * after the other: it refuses the second.
 */
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { SystemSettings, VaultState } from '../state/state.js';

type Switches = Pick<SystemSettings, 'testnetsEnabled' | 'usdValueConditionsEnabled'>;

const MAX_NAMED = 10;

/** 409, naming up to ten of them, when something rests on a setting that is on and is to be off. */
export function refuseSwitchedOff(state: VaultState, next: Switches): Refusal | undefined {
  const { testnetsEnabled, usdValueConditionsEnabled } = state.settings;
  return (
    (testnetsEnabled && !next.testnetsEnabled
      ? refuseInUse('testnets are', testnetDependents(state))
      : undefined) ??
    (usdValueConditionsEnabled && !next.usdValueConditionsEnabled
      ? refuseInUse('USD value conditions are', usdDependents(state))
      : undefined)
  );
}

/** 422 when a change added something that rests on a setting that is off. */
export function refuseNewDependents(before: VaultState, after: VaultState): Refusal | undefined {
  const { testnetsEnabled, usdValueConditionsEnabled } = after.settings;
  if (!testnetsEnabled && hasMore(testnetDependents(before), testnetDependents(after))) {
    return refuse('invalid_inputs', 'networks: names a testnet while testnets are disabled');
  }
  if (!usdValueConditionsEnabled && hasMore(usdDependents(before), usdDependents(after))) {
    return refuse(
      'invalid_inputs',
      'rules: states a USD value while USD value conditions are disabled',
    );
  }
  return undefined;
}

type Dependents = readonly { readonly size: number; [Symbol.iterator](): Iterator<string> }[];

function testnetDependents({ wallets, signingPolicies }: VaultState): Dependents {
  return [wallets.indexes.onTestnet, signingPolicies.indexes.onTestnet];
}

function usdDependents({ signingPolicies }: VaultState): Dependents {
  return [signingPolicies.indexes.onUsdValue];
}

/** Comparing sizes is enough: no single entry adds some and takes others away. */
function hasMore(before: Dependents, after: Dependents): boolean {
  return after.some((rows, index) => rows.size > before[index]!.size);
}

function refuseInUse(what: string, dependents: Dependents): Refusal | undefined {
  const ids = dependents.flatMap((rows) => [...rows]);
  return ids.length === 0
    ? undefined
    : refuse('resource_conflict', `${what} in use by ${ids.slice(0, MAX_NAMED).join(', ')}`);
}
