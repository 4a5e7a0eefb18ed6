/** Requests for signatures. The ledger does not read their bodies: parties do when they sign. */
const signs = { method: 'POST', action: 'signing_policy' } as const;

export const signRequest = {
  ...signs,
  id: 'sign',
  path: '/v1/vaults/{vault_id}/wallets/{address}/sign',
} as const;

export const rawSignRequest = {
  ...signs,
  id: 'raw-sign',
  path: '/v1/vaults/{vault_id}/wallets/{address}/raw-sign',
} as const;

export const rawSignWithKeyRequest = {
  ...signs,
  id: 'raw-sign-with-key',
  path: '/v1/keys/{key_id}/raw-sign',
} as const;

export const signWithKeyRequest = {
  ...signs,
  id: 'sign-with-key',
  path: '/v1/keys/{key_id}/sign',
} as const;
