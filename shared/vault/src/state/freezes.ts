/** Which freezes stop what: a key is stopped by its own, its wallet's, its vault's, its venue's and the system's. */
import type { Freeze, Key, User, VaultState, Wallet } from './state.js';

/** Ordered from the widest to the narrowest. */
export const FREEZE_SCOPES = ['system', 'vault', 'wallet', 'venue', 'key', 'user'] as const;

export type FreezeScope = (typeof FREEZE_SCOPES)[number];

export interface FreezeInForce extends Freeze {
  readonly scope: FreezeScope;
  /** The row's id; for a venue, as keys name it; for the system, `system`. */
  readonly id: string;
}

export const SYSTEM_ID = 'system';

/** Freezes that stop the key, the widest first. `wallet`: the key's wallet, if the caller has it. */
export function freezesOfKey(
  state: VaultState,
  key: Key,
  wallet: Wallet | undefined = state.wallets.rows.get(key.walletId ?? ''),
): FreezeInForce[] {
  const vault = state.vaults.rows.get(wallet?.vaultId ?? '');
  const venueFreeze = key.venueId === null ? undefined : state.frozenVenues.get(key.venueId);
  return [
    ...ofSystem(state),
    ...own('vault', vault),
    ...own('wallet', wallet),
    ...inForce('venue', key.venueId ?? '', venueFreeze),
    ...own('key', key),
  ];
}

export function freezesOfUser(state: VaultState, user: User): FreezeInForce[] {
  return [...ofSystem(state), ...own('user', user)];
}

export function ofSystem({ systemFreeze }: VaultState): FreezeInForce[] {
  return inForce('system', SYSTEM_ID, systemFreeze);
}

export function own(
  scope: FreezeScope,
  row: { readonly id: string; readonly frozen: Freeze | null } | undefined,
): FreezeInForce[] {
  return row === undefined ? [] : inForce(scope, row.id, row.frozen);
}

export function inForce(scope: FreezeScope, id: string, freeze: Freeze | null | undefined) {
  return freeze == null ? [] : [{ scope, id, ...freeze }];
}
