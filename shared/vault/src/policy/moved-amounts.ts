/** How much a transaction moves, in whole coins by the decimals in the list of networks. Pure. */
import type { Moved } from '@countersign/api/conditions/condition.js';
import { coinsMoved } from '@countersign/chains/moved-coins.js';
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';

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
