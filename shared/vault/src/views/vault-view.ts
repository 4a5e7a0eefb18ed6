import type * as s from '@countersign/core/shapes.js';
import type { vault } from '@countersign/api/vault-schema.js';
import { ofSystem, own } from '../state/freezes.js';
import type { Vault, VaultState } from '../state/state.js';
import { effectiveState } from './freeze-view.js';
import { stampsView } from './stamps-view.js';

export function vaultView(state: VaultState, row: Vault): s.InputOf<typeof vault> {
  return {
    id: row.id,
    display_name: row.displayName,
    description: row.description,
    ...effectiveState([...ofSystem(state), ...own('vault', row)], 'active'),
    wallet_count: row.walletCount,
    ...stampsView(row),
  };
}
