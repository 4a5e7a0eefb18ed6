import type { FreezeTarget } from './freeze-scopes.js';

/** Whose entries of the audit log a freeze is about; undefined: the log has no filter for it. */
export function auditFiltersOf({
  scope,
  id,
}: FreezeTarget):
  | Readonly<Partial<Record<'user_ids' | 'key_ids' | 'vault_ids' | 'wallet_addresses', string>>>
  | undefined {
  switch (scope) {
    case 'system':
      return {};
    case 'user':
      return { user_ids: id };
    case 'key':
      return { key_ids: id };
    case 'vault':
      return { vault_ids: id };
    case 'wallet':
      return { wallet_addresses: id };
    case 'venue':
      return undefined;
  }
}
