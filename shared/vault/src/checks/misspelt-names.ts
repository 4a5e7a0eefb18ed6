/**
 * Finds symbols and assets that no request can ever state as the rule writes them. Such a rule looks like a bound and
 * is none: one that denies denies nothing, and one that allows makes people drop the condition. Asked only where this
 * release knows how a venue or a network writes its names.
 */
import type { MarketNames } from '@countersign/venues/engine/market-assets.js';
import { marketOf } from '@countersign/venues/engine/market-spelling.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import type { Rule, VaultState } from '../state/state.js';

/** Classes whose symbols are coins, which have no quote asset. */
const OF_COINS: readonly string[] = ['withdraw', 'transfer'];

/** Why one of the symbols is none of any venue in question, with the near word, or undefined. */
export function findMisspeltSymbol(
  { when: { symbols = [], operationClasses = [] } }: Rule,
  venueIds: readonly string[],
  { marketNamesAt }: Pick<Catalogues, 'marketNamesAt'>,
): string | undefined {
  const spellings = venueIds.map((id) => ({ id, names: marketNamesAt(id) }));
  const isCoin = operationClasses.some((name) => OF_COINS.includes(name));
  for (const symbol of symbols) {
    const near = spellings.map(({ names }) => names && nearSymbol(symbol, names, isCoin));
    // it may be right at a venue that nobody knows, and is right where nothing is nearer
    if (near.length === 0 || near.includes(undefined)) continue;
    const words = spellings.map(({ id }, index) => `${near[index]} at ${id}`);
    return `symbols: no request ever states ${symbol}: write ${words.join(', ')}`;
  }
  return undefined;
}

/** The market as the venue writes it, if this is another way of writing it. */
function nearSymbol(symbol: string, names: MarketNames, isCoin: boolean): string | undefined {
  const near = marketOf(symbol, names, isCoin);
  return near === undefined || near.toUpperCase() === symbol.toUpperCase() ? undefined : near;
}

/** Why one of the assets is none of any network, with the near word, or undefined. */
export function findMisspeltAsset(
  { settings: { testnetsEnabled } }: Pick<VaultState, 'settings'>,
  { when: { assets = [], networks } }: Rule,
  catalogues: Pick<Catalogues, 'findNetwork' | 'networkIds'>,
): string | undefined {
  const networkIds = networks ?? catalogues.networkIds(testnetsEnabled);
  for (const asset of assets) {
    const fault = faultOfAsset(asset, networkIds, catalogues);
    if (fault !== undefined) return `assets: ${fault}`;
  }
  return undefined;
}

function faultOfAsset(
  asset: string,
  networkIds: readonly string[],
  { findNetwork }: Pick<Catalogues, 'findNetwork'>,
): string | undefined {
  const at = asset.indexOf('/');
  const [networkId, name] = [asset.slice(0, Math.max(at, 0)), asset.slice(at + 1)];
  const network = findNetwork(networkId);
  const known =
    network === undefined ? networkIds.flatMap((id) => findNetwork(id) ?? []) : [network];
  const all = known.flatMap(({ assets }) => assets);
  if (network !== undefined && !all.some(({ symbol }) => isAlike(symbol, name))) return undefined;
  if (all.some(({ id }) => id === asset)) return undefined;
  const near = all.filter(({ symbol }) => isAlike(symbol, name)).map(({ id }) => id);
  const hint = near.length === 0 ? '' : `: write ${near.slice(0, MOST_NEAR).join(' or ')}`;
  return `${asset} is no {network id}/{asset id} or {network id}/{contract} of a known network${hint}`;
}

const MOST_NEAR = 4;

function isAlike(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
