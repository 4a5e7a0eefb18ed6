/** How much a transaction moves, in whole coins by the decimals in the list of networks. Pure. */
import type { Moved } from '@countersign/api/conditions/condition.js';
import type { Movement, TransactionFacts } from '@countersign/chains/solana-movements.js';
import { findNetwork } from '@countersign/chains/network-catalogue.js';

export interface Coins {
  /** Decimal string. */
  readonly amount: string;
  /** Symbol of the asset. */
  readonly asset: string;
}

/** Undefined for an asset that is not in the list of networks, since its decimals are unknown. */
export function coinsMoved({ assets, amount }: Movement): Coins | undefined {
  for (const name of assets) {
    const network = findNetwork(name.slice(0, name.indexOf('/')));
    const known = network?.assets.find(({ id }) => id === name);
    if (known !== undefined) {
      return { amount: inWholeCoins(amount, known.decimals), asset: known.symbol };
    }
  }
  return undefined;
}

/**
 * Sums all amounts of the one asset, whoever pays; `none` also for several assets, which have no common unit.
 * `assets`: as a rule names them.
 */
export function amountMoved(
  assets: readonly string[] | undefined,
  { movements, unread }: TransactionFacts,
): Moved {
  const [asset, ...others] = assets ?? [];
  if (asset === undefined || others.length > 0) return { result: 'none' };
  if (unread !== undefined) return { result: 'error', reason: unread };
  const moved = movements.filter((movement) => movement.assets.includes(asset));
  const [first] = moved;
  if (first === undefined) return { result: 'none' };
  const all = moved.reduce((sum, { amount }) => sum + amount, 0n);
  const coins = coinsMoved({ ...first, amount: all });
  return coins === undefined
    ? { result: 'error', reason: 'it moves an asset that is not in the list of networks' }
    : { result: 'moved', amount: coins.amount };
}

function inWholeCoins(smallest: bigint, decimals: number): string {
  const digits = smallest.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
