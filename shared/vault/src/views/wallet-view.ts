import type * as s from '@countersign/core/shapes.js';
import type { wallet } from '@countersign/api/vault-schema.js';
import { freezesOfKey } from '../state/freezes.js';
import type { Key, VaultState, Wallet } from '../state/state.js';
import { attestationViews } from './attestation-view.js';
import { effectiveState } from './freeze-view.js';
import { publicKeyView } from './key-view.js';
import { stampsView } from './stamps-view.js';

export function walletView(state: VaultState, row: Wallet): s.InputOf<typeof wallet> {
  const key = keyOf(state, row);
  return {
    id: row.id,
    vault_id: row.vaultId,
    address: row.address,
    network_family: row.networkFamily,
    networks: [...row.networks],
    public_key: publicKeyView(key),
    key_id: row.keyId,
    display_name: row.displayName,
    labels: { ...row.labels },
    ...effectiveState(freezesOfKey(state, key, row), 'active'),
    attestations: attestationViews(key.attestations),
    ...stampsView(row),
  };
}

function keyOf(state: VaultState, row: Wallet): Key {
  const key = state.keys.rows.get(row.keyId);
  if (key === undefined) throw new Error(`wallet ${row.id} has no key`);
  return key;
}
