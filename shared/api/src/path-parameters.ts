/** What stands in the paths of operations, under the part of the path before it, which says what it is one of. */
import * as s from '@countersign/core/shapes.js';
import { id } from './primitives.js';
import { AUDIT_CHAIN_NAME } from './service-schema.js';
import {
  ADDRESS,
  ADDRESS_LIST_ID,
  ADMIN_POLICY_ID,
  KEY_ID,
  PASSKEY_ID,
  REQUEST_ID,
  SECURITY_GROUP_ID,
  SIGNING_POLICY_ID,
  USER_GROUP_ID,
  USER_ID,
  VAULT_ID,
  WEBHOOK_ID,
} from './example-values.js';

/** A part of the path between two slashes. */
export interface PathParameter {
  readonly description: string;
  readonly schema: s.AnyShape;
  readonly example: string;
}

const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  'users/{user_id}': idOf('The user', USER_ID),
  'passkeys/{credential_id}': idOf(
    'The passkey, `id` among the credentials of the user',
    PASSKEY_ID,
  ),
  'user-groups/{group_id}': idOf('The user group', USER_GROUP_ID),
  'admin-policies/{policy_id}': idOf('The administrative policy', ADMIN_POLICY_ID),
  'vaults/{vault_id}': idOf('The vault', VAULT_ID),
  'keys/{key_id}': idOf('The key', KEY_ID),
  'security-groups/{group_id}': idOf('The security group', SECURITY_GROUP_ID),
  'address-lists/{list_id}': idOf('The address list', ADDRESS_LIST_ID),
  'members/{member_id}': idOf('The key or wallet', KEY_ID),
  'webhooks/{webhook_id}': idOf('The webhook', WEBHOOK_ID),
  'signing-policies/{policy_id}': idOf('The signing policy', SIGNING_POLICY_ID),
  'requests/{request_id}': idOf(
    'The request, as named in its answer 202 or in a receipt',
    REQUEST_ID,
  ),
  'wallets/{address}': {
    description: "The wallet's address, exactly as the vault gave it.",
    schema: s.string(),
    example: ADDRESS,
  },
  'versions/{version}': {
    description: 'The version of the policy, as a receipt names it: a whole number from 1.',
    schema: s.string().regex(/^[1-9][0-9]{0,14}$/),
    example: '1',
  },
  'parties/{party}': {
    description: 'Number of the party, 1 to 3.',
    schema: s.string(),
    example: '3',
  },
  'chains/{chain}': {
    description: 'The chain: its `name` in the list of chains.',
    schema: s.string().regex(AUDIT_CHAIN_NAME),
    example: 'ledger',
  },
};

function idOf(what: string, example: string): PathParameter {
  return { description: `${what}: its id.`, schema: id, example };
}

/** The parameters of a path, by name, in its order. */
export function parametersOf(path: string): Readonly<Record<string, PathParameter>> {
  return Object.fromEntries(
    Array.from(path.matchAll(/[^/]+\/\{(\w+)\}/g), ([place, name]) => [
      name!,
      PATH_PARAMETERS[place]!,
    ]),
  );
}
