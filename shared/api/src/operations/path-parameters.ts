import * as s from '@countersign/core/shapes.js';
import type { PathParameter } from '../operation.js';
import { id } from '../primitives.js';
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

export const userId = idOf('The user', USER_ID);
export const credentialId = idOf('The passkey, `id` among the credentials of the user', PASSKEY_ID);
export const userGroupId = idOf('The user group', USER_GROUP_ID);
export const adminPolicyId = idOf('The administrative policy', ADMIN_POLICY_ID);
export const vaultId = idOf('The vault', VAULT_ID);
export const keyId = idOf('The key', KEY_ID);
export const securityGroupId = idOf('The security group', SECURITY_GROUP_ID);
export const addressListId = idOf('The address list', ADDRESS_LIST_ID);
export const webhookId = idOf('The webhook', WEBHOOK_ID);
export const memberId = idOf('The key or wallet', KEY_ID);
export const signingPolicyId = idOf('The signing policy', SIGNING_POLICY_ID);

export const requestId = idOf(
  'The request, as named in its answer 202 or in a receipt',
  REQUEST_ID,
);

export const address: PathParameter = {
  description: "The wallet's address, exactly as the vault gave it.",
  schema: s.string(),
  example: ADDRESS,
};

export const policyVersionNumber: PathParameter = {
  description: 'The version of the policy, as a receipt names it: a whole number from 1.',
  schema: s.string().regex(/^[1-9][0-9]{0,14}$/),
  example: '1',
};

function idOf(what: string, example: string): PathParameter {
  return { description: `${what}: its id.`, schema: id, example };
}
