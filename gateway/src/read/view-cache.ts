import type { VaultState } from '@countersign/vault/state/state.js';

/**
 * Makes a view once per row and state. Both are immutable, so nothing can go stale; a state's views are freed with it.
 * Callers must not change a view.
 */
export function oncePerState<Row extends object, View>(
  view: (state: VaultState, row: Row) => View,
): (state: VaultState, row: Row) => View {
  const byState = new WeakMap<VaultState, WeakMap<Row, View>>();
  return (state, row) => {
    let views = byState.get(state);
    if (views === undefined) byState.set(state, (views = new WeakMap()));
    let known = views.get(row);
    if (known === undefined) views.set(row, (known = view(state, row)));
    return known;
  };
}
