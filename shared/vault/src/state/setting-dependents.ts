/**
 * What rests on a setting of the system: rows that name a testnet, and rules on USD values. The fold ensures by itself
 * that a setting is never off while something rests on it, whatever requests race.
 */
import { pricedBy, type RuleConditions } from '@countersign/api/conditions/condition-forms.js';
import { NETWORK_FAMILIES, type NetworkFamily } from '@countersign/core/vocabulary.js';

interface NamesNetworks {
  readonly id: string;
  readonly networks: readonly string[];
}

interface HasRules {
  readonly id: string;
  readonly rules: readonly {
    readonly when: RuleConditions;
  }[];
}

const MAINNET = '-mainnet';

const MAINNETS = new Map(NETWORK_FAMILIES.map((family) => [family, [`${family}${MAINNET}`]]));

/** The networks of a wallet of the family when none is asked for: all such wallets share one list. */
export function mainnetsOf(family: NetworkFamily): readonly string[] {
  return MAINNETS.get(family)!;
}

/**
 * Goes by the name alone, since the fold asks no catalogue and all networks of the catalogue are named so. An unknown
 * network counts as a testnet here: it waits for the setting.
 */
export function isTestnetName(networkId: string): boolean {
  return !networkId.endsWith(MAINNET);
}

export function isOnTestnet({ networks }: NamesNetworks): boolean {
  return networks.some(isTestnetName);
}

/** A rule that is switched off counts: whoever switches it on does not look at the settings. */
export function hasTestnetRule({ rules }: HasRules): boolean {
  return rules.some(({ when }) => when.networks?.some(isTestnetName) === true);
}

export function hasUsdRule({ rules }: HasRules): boolean {
  return rules.some(({ when }) => pricedBy(when) !== undefined);
}
