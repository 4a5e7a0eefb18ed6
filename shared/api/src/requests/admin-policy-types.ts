/** The actions that an administrative policy may allow or deny. */
export const ADMIN_POLICY_TYPES = [
  'view_system_resources',
  'modify_system_settings',
  'manage_users',
  'manage_user_groups',
  'manage_admin_policies',
  'manage_signing_policies',
  'manage_security_groups',
  'generate_keys',
  'import_keys',
  'manage_keys',
  'create_vaults',
  'manage_vaults',
  'manage_wallets',
  'freeze',
  'unfreeze',
  'view_audit_logs',
] as const;

export type AdminPolicyType = (typeof ADMIN_POLICY_TYPES)[number];

export const VAULT_SCOPED_TYPES: ReadonlySet<AdminPolicyType> = new Set([
  'manage_vaults',
  'manage_wallets',
  'manage_security_groups',
  'manage_signing_policies',
  'freeze',
  'unfreeze',
] as const);
