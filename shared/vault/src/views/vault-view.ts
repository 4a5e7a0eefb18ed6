import type * as s from '@countersign/core/shapes.js';
import type { vault } from '@countersign/api/vault-schema.js';
import { freezesOfVault } from '../state/freezes.js';
import type { Vault, VaultState } from '../state/state.js';
import { effectiveState } from './freeze-view.js';
import { stampsView } from './stamps-view.js';

export function vaultView(state: VaultState, row: Vault): s.InputOf<typeof vault> {
  return {
    id: row.id,
    display_name: row.displayName,
    description: row.description,
    ...effectiveState(freezesOfVault(state, row), 'active'),
    wallet_count: row.walletCount,
    ...stampsView(row),
  };
}
