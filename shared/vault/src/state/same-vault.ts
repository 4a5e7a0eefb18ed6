import type { VaultState } from './state.js';

/** Whether two states differ in nothing but how far the ledger has come. */
export function isSameVault(a: VaultState, b: VaultState): boolean {
  if (a === b) return true;
  return (Object.keys({ ...a, ...b }) as (keyof VaultState)[]).every(
    (name) => name === 'seq' || name === 'headHash' || name === 'time' || a[name] === b[name],
  );
}
