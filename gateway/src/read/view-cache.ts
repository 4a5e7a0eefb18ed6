import type { VaultState } from '@countersign/vault/state/state.js';

/**
 * The same view, made once per row and state. Both are immutable, so nothing can go stale; with the
 * last reader of a state its views are gone too. A view so kept must not be changed by who gets it.
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
