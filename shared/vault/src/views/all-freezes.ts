import { FREEZE_SCOPES, inForce, ofSystem, own, type FreezeInForce } from '../state/freezes.js';
import type { VaultState } from '../state/state.js';

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
