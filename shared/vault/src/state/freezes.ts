/** Which freezes stop what: a key is stopped by its own, its wallet's, its vault's, its venue's and the system's. */
import type { Freeze, Key, User, Vault, VaultState, Wallet } from './state.js';

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

/** A freeze of its key stops a wallet too. */
export function freezesOfWallet(state: VaultState, wallet: Wallet): FreezeInForce[] {
  const key = state.keys.rows.get(wallet.keyId);
  if (key === undefined) throw new Error(`wallet ${wallet.id} has no key`);
  return freezesOfKey(state, key, wallet);
}

export function freezesOfVault(state: VaultState, vault: Vault): FreezeInForce[] {
  return [...ofSystem(state), ...own('vault', vault)];
}

export function freezesOfUser(state: VaultState, user: User): FreezeInForce[] {
  return [...ofSystem(state), ...own('user', user)];
}

/** All freezes in force, the oldest first. The cost grows with their number. */
export function allFreezes(state: VaultState): FreezeInForce[] {
  const rowsOf = <Row>(table: {
    readonly rows: { get(id: string): Row | undefined };
    readonly indexes: { readonly frozen: Iterable<string> };
  }) => [...table.indexes.frozen].flatMap((id) => table.rows.get(id) ?? []);
  const freezes = [
    ...ofSystem(state),
    ...rowsOf(state.vaults).flatMap((row) => own('vault', row)),
    ...rowsOf(state.wallets).flatMap((row) => own('wallet', row)),
    ...[...state.frozenVenues].flatMap(([id, freeze]) => inForce('venue', id, freeze)),
    ...rowsOf(state.keys).flatMap((row) => own('key', row)),
    ...rowsOf(state.users).flatMap((row) => own('user', row)),
  ];
  return freezes.toSorted(compareFreezes);
}

/** Orders by time, then by scope and id: no two are alike. */
export function compareFreezes(
  a: Pick<FreezeInForce, 'at' | 'scope' | 'id'>,
  b: Pick<FreezeInForce, 'at' | 'scope' | 'id'>,
): number {
  const byScope = FREEZE_SCOPES.indexOf(a.scope) - FREEZE_SCOPES.indexOf(b.scope);
  const byId = a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  return a.at - b.at || byScope || byId;
}

function ofSystem({ systemFreeze }: VaultState): FreezeInForce[] {
  return inForce('system', SYSTEM_ID, systemFreeze);
}

function own(
  scope: FreezeScope,
  row: { readonly id: string; readonly frozen: Freeze | null } | undefined,
): FreezeInForce[] {
  return row === undefined ? [] : inForce(scope, row.id, row.frozen);
}

function inForce(scope: FreezeScope, id: string, freeze: Freeze | null | undefined) {
  return freeze == null ? [] : [{ scope, id, ...freeze }];
}
