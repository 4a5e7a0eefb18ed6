import * as s from '@countersign/core/shapes.js';
import { apiRequest, nothing } from './api-request.js';
import { freezeKeysQuery } from './keys.js';
import { userIdsQuery } from './users.js';
import { addressesQuery, vaultIdsQuery } from './vaults.js';

export const freezeBody = s.strictObject({ reason: s.string().max(512).optional() });

/** Freeze and unfreeze of one scope. Their ids end in `what`; `path` stands before the verb. */
function freezePair<What extends string, Path extends string, Query extends s.AnyShape>(
  what: What,
  path: Path,
  query: Query,
) {
  const common = { method: 'POST', query, body: freezeBody, bodyOptional: true } as const;
  return [
    apiRequest({ ...common, id: `freeze-${what}`, path: `${path}/freeze`, action: 'freeze' }),
    apiRequest({ ...common, id: `unfreeze-${what}`, path: `${path}/unfreeze`, action: 'unfreeze' }),
  ] as const;
}

export const [freezeUsersRequest, unfreezeUsersRequest] = freezePair(
  'users',
  '/v1/users',
  userIdsQuery,
);

export const [freezeKeysRequest, unfreezeKeysRequest] = freezePair(
  'keys',
  '/v1/keys',
  freezeKeysQuery,
);

export const [freezeVaultsRequest, unfreezeVaultsRequest] = freezePair(
  'vaults',
  '/v1/vaults',
  vaultIdsQuery,
);

export const [freezeWalletsRequest, unfreezeWalletsRequest] = freezePair(
  'wallets',
  '/v1/vaults/{vault_id}/wallets',
  addressesQuery,
);

export const [freezeSystemRequest, unfreezeSystemRequest] = freezePair(
  'system',
  '/v1/system',
  nothing,
);
