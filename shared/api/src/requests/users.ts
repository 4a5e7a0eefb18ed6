/** Users and their groups: the requests that create, change and delete them. */
import * as s from '@countersign/core/shapes.js';
import { isAddressRange } from '@countersign/core/address-range.js';
import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { parseBase64Url, parseHex, toBase64 } from '@countersign/core/bytes.js';
import { isEd25519PublicKey } from '@countersign/core/ed25519.js';
import { MAX_TIME_MS } from '@countersign/core/records.js';
import { apiRequest, resourceRequests } from './api-request.js';
import {
  changesSomething,
  commaSeparatedIds,
  description,
  displayName,
  idList,
} from './primitives.js';

/** 32 bytes as base64url or hex; the decoded value is standard base64. */
export const machinePublicKey = s
  .string()
  .max(64)
  .convert((text) => {
    const bytes = text.length === 64 ? parseHex(asciiLowerCase(text)) : parseBase64Url(text);
    return bytes === undefined || !isEd25519PublicKey(bytes)
      ? { message: 'must be a canonical Ed25519 public key (32 bytes, base64url or hex)' }
      : { value: toBase64(bytes) };
  });

/** Whose token a person signs in with. `oidc`: of a provider that is neither Microsoft nor Google. */
export const CLOUD_PROVIDERS = ['azure', 'gcp', 'oidc'] as const;
export type CloudProvider = (typeof CLOUD_PROVIDERS)[number];

const expiresAt = s
  .moment()
  // a time behind it prints as none of RFC 3339
  .refine((text) => Date.parse(text) <= MAX_TIME_MS, 'must lie in the years up to 9999, in UTC')
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' });

const userGroupIds = idList(20).optional();

const allowedAddresses = s
  .array(
    s
      .string()
      .refine(
        isAddressRange,
        'must be a range of addresses such as 203.0.113.7/32 or 2001:db8::/32, without a bit behind its length',
      ),
  )
  .min(1)
  .max(32)
  .refine((ranges) => new Set(ranges).size === ranges.length, 'must not repeat a range');

const claim = s.string().min(1).max(255);

const newUser = {
  display_name: displayName,
  description: description.optional(),
};

export const createUserRequest = apiRequest('create-user', 'POST /v1/users', 'manage_users', {
  body: s.discriminatedUnion('type', [
    s.strictObject({
      type: s.literal('human'),
      ...newUser,
      email: s.email().max(254),
      cloud_provider: s.words(CLOUD_PROVIDERS),
      user_group_ids: userGroupIds,
      enrollment_public_key: machinePublicKey.optional(),
      identity: s.strictObject({ issuer: claim, subject: claim }).optional(),
    }),
    s.strictObject({
      type: s.literal('machine'),
      ...newUser,
      public_key: machinePublicKey,
      user_group_ids: userGroupIds,
      expires_at: expiresAt.optional(),
      allowed_addresses: allowedAddresses.optional(),
    }),
  ]),
});

export const updateUserRequest = apiRequest(
  'update-user',
  'PUT /v1/users/{user_id}',
  'manage_users',
  {
    body: s
      .strictObject({
        display_name: displayName.optional(),
        description: description.optional(),
        user_group_ids: userGroupIds,
        public_key: machinePublicKey.optional(),
        expires_at: expiresAt.nullable().optional(),
        allowed_addresses: allowedAddresses.nullable().optional(),
        rotate_api_key: s.literal(true).optional(),
        reset_passkeys: s.literal(true).optional(),
        enrollment_public_key: machinePublicKey.optional(),
      })
      .refine(...changesSomething),
  },
);

export const userIdsQuery = s.strictObject({ user_ids: commaSeparatedIds });

export const deleteUsersRequest = apiRequest('delete-users', 'DELETE /v1/users', 'manage_users', {
  query: userIdsQuery,
});

const userGroup = s.strictObject({
  display_name: displayName,
  description: description.optional(),
});

export const [createUserGroupRequest, updateUserGroupRequest, deleteUserGroupRequest] =
  resourceRequests('user-group', '/v1/user-groups/{group_id}', 'manage_user_groups', {
    create: userGroup,
    update: userGroup,
  });
