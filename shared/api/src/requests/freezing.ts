import * as s from '@countersign/core/shapes.js';
import { apiRequest, nothing } from './api-request.js';
import { freezeKeysQuery } from './keys.js';
import { userIdsQuery } from './users.js';
import { addressesQuery, vaultIdsQuery } from './vaults.js';

export const freezeBody = s.strictObject({ reason: s.string().max(512).optional() });

/** Freeze and unfreeze of one scope. Their ids end in `what`; `path` stands before the verb. */
function freezePair<What extends string, Path extends `/${string}`, Query extends s.AnyShape>(
  what: What,
  path: Path,
  query: Query,
) {
  const asked = <Verb extends 'freeze' | 'unfreeze'>(verb: Verb) =>
    apiRequest(`${verb}-${what}`, `POST ${path}/${verb}`, verb, {
      query,
      body: freezeBody,
      bodyOptional: true,
    });
  return { freeze: asked('freeze'), unfreeze: asked('unfreeze') };
}

export const FREEZING = {
  users: freezePair('users', '/v1/users', userIdsQuery),
  keys: freezePair('keys', '/v1/keys', freezeKeysQuery),
  vaults: freezePair('vaults', '/v1/vaults', vaultIdsQuery),
  wallets: freezePair('wallets', '/v1/vaults/{vault_id}/wallets', addressesQuery),
  system: freezePair('system', '/v1/system', nothing),
};
