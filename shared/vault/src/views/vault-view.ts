import type { z } from 'zod';
import type { vault } from '@countersign/api/vault-schema.js';
import type { Vault } from '../state/state.js';
import { stampsView } from './stamps-view.js';

export function vaultView(row: Vault): z.input<typeof vault> {
  return {
    id: row.id,
    display_name: row.displayName,
    description: row.description,
    status: row.frozen === null ? 'active' : 'frozen',
    wallet_count: row.walletCount,
    ...stampsView(row),
  };
}
