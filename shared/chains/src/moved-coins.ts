/** What a movement is in whole coins, by the decimals in the list of networks. */
import { findNetwork } from './network-catalogue.js';
import type { Movement } from './solana-movements.js';

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

function inWholeCoins(smallest: bigint, decimals: number): string {
  const digits = smallest.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
