import { z } from 'zod';
import { parseBase64Url, parseHex, toBase64 } from '@countersign/core/bytes.js';
import { isEd25519PublicKey } from '@countersign/core/ed25519.js';
import { pageOf, stampFields } from './common-schema.js';
import { commaSeparatedIds, dateTime, description, displayName, id } from './primitives.js';
import { idList, pageQuery, queryEnum } from './primitives.js';

/** 32 bytes as base64url or hex; the decoded value is standard base64. */
export const machinePublicKey = z
  .string()
  .max(64)
  .transform((text, context) => {
    const bytes = text.length === 64 ? parseHex(text.toLowerCase()) : parseBase64Url(text);
    if (bytes === undefined || !isEd25519PublicKey(bytes)) {
      context.addIssue({
        code: 'custom',
        message: 'must be a canonical Ed25519 public key (32 bytes, base64url or hex)',
      });
      return z.NEVER;
    }
    return toBase64(bytes);
  });

const expiresAt = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' });

const userGroupIds = idList(20);

export const createUserBody = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('human'),
      display_name: displayName,
      description: description.optional(),
      email: z.email().max(254),
      cloud_provider: z.enum(['azure', 'gcp']),
      user_group_ids: userGroupIds.optional(),
    }),
    z.strictObject({
      type: z.literal('machine'),
      display_name: displayName,
      description: description.optional(),
      public_key: machinePublicKey,
      user_group_ids: userGroupIds.optional(),
      expires_at: expiresAt.optional(),
    }),
  ])
  .meta({ id: 'CreateUserRequest' });

export const updateUserBody = z
  .strictObject({
    display_name: displayName.optional(),
    description: description.optional(),
    user_group_ids: userGroupIds.optional(),
    public_key: machinePublicKey.optional(),
    expires_at: expiresAt.nullable().optional(),
    rotate_api_key: z.literal(true).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ id: 'UpdateUserRequest' });

export const userGroupBody = z
  .strictObject({ display_name: displayName, description: description.optional() })
  .meta({ id: 'UserGroupRequest' });

const userGroupReference = z
  .strictObject({ id, display_name: z.string(), description: z.string().nullable() })
  .meta({ id: 'UserGroup' });

export const userGroup = z
  .strictObject({
    id,
    display_name: z.string(),
    description: z.string().nullable(),
    ...stampFields,
  })
  .meta({ id: 'UserGroupFullInformation' });

const userFields = {
  id,
  display_name: z.string(),
  description: z.string().nullable(),
  user_groups: z.array(userGroupReference),
  ...stampFields,
};

const humanFields = {
  type: z.literal('human'),
  email: z.string(),
  cloud_provider: z.enum(['azure', 'gcp']),
};

/** SPEC 2.3: the only answer that carries a secret, shown once. */
export const createdUser = z
  .discriminatedUnion('type', [
    z.strictObject({ ...userFields, ...humanFields, enrollment_code: z.string().optional() }),
    z.strictObject({ ...userFields, type: z.literal('machine'), api_key: id.optional() }),
  ])
  .meta({ id: 'User' });

const fullFields = {
  ...userFields,
  status: z.enum(['active', 'frozen', 'pending_enrollment']),
  credentials: z.array(
    z.strictObject({ id, type: z.enum(['passkey', 'ed25519']), created_at: dateTime }),
  ),
  frozen_at: dateTime.optional(),
  expires_at: dateTime.optional(),
};

export const userFullInformation = z
  .discriminatedUnion('type', [
    z.strictObject({ ...fullFields, ...humanFields }),
    z.strictObject({ ...fullFields, type: z.literal('machine') }),
  ])
  .meta({ id: 'UserFullInformation' });

export const userPage = pageOf('UserPage', userFullInformation);
export const userGroupPage = pageOf('UserGroupPage', userGroup);

export const listUsersQuery = z.strictObject({
  ...pageQuery,
  display_name_like: z.string().max(128).optional(),
  email_contains: z.string().max(254).optional(),
  is_in_groups: commaSeparatedIds.optional(),
  is_type: queryEnum(['human', 'machine']).meta({ id: 'UserTypeFilter' }).optional(),
  user_ids: commaSeparatedIds.optional(),
});

export const userIdsQuery = z.strictObject({ user_ids: commaSeparatedIds });
