import type * as s from '@countersign/core/shapes.js';
import { timeView } from '@countersign/api/common-schema.js';
import type { freezeInForce, listedFreeze } from '@countersign/api/freeze-schema.js';
import type { FreezeInForce } from '../state/freezes.js';
import type { VaultState } from '../state/state.js';

export function freezeInForceView(freeze: FreezeInForce): s.InputOf<typeof freezeInForce> {
  const { scope, id, at, by, reason } = freeze;
  return { scope, id, at: timeView(at), by, reason };
}

/** A freeze in a list. A wallet's has vault and address, which whoever lifts it must name. */
export function listedFreezeView(
  state: VaultState,
  freeze: FreezeInForce,
): s.InputOf<typeof listedFreeze> {
  const view = freezeInForceView(freeze);
  const wallet = freeze.scope === 'wallet' ? state.wallets.rows.get(freeze.id) : undefined;
  if (wallet === undefined) return view;
  return { ...view, wallet: { vault_id: wallet.vaultId, address: wallet.address } };
}

/** The effective state of what these freezes stop; `otherwise` is its state without them. */
export function effectiveState<Status extends string>(
  freezes: readonly FreezeInForce[],
  otherwise: Status,
): { status: Status | 'frozen'; frozen_by: s.InputOf<typeof freezeInForce>[] } {
  return {
    status: freezes.length > 0 ? 'frozen' : otherwise,
    frozen_by: freezes.map(freezeInForceView),
  };
}
