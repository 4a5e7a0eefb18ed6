/** Users as the first rules know them: nobody's passkeys are reset, and codes are derived and do not expire. */
import { machinePublicKey } from '@countersign/api/user-schema.js';
import { enrollmentCodeSha256 } from '@countersign/core/enrolment-proof.js';
import { description, displayName, idList } from '@countersign/api/primitives.js';
import { z } from 'zod';
import type { LedgerOperation } from '../ledger-operation.js';
import { enrollmentCodeOf } from '../../authentication/user-secrets.js';
import { createUserWith } from '../create-user.js';
import { updateUser } from '../update-user.js';

const expiresAt = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const createBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('human'),
    display_name: displayName,
    description: description.optional(),
    email: z.email().max(254),
    cloud_provider: z.enum(['azure', 'gcp']),
    user_group_ids: idList(20).optional(),
  }),
  z.strictObject({
    type: z.literal('machine'),
    display_name: displayName,
    description: description.optional(),
    public_key: machinePublicKey,
    user_group_ids: idList(20).optional(),
    expires_at: expiresAt.optional(),
  }),
]);

const withLastingCode = createUserWith((context) => ({
  enrollmentCodeSha256: enrollmentCodeSha256(enrollmentCodeOf(context)),
}));

export const firstCreateUser: LedgerOperation = { ...withLastingCode, body: createBody };

const updateBody = z
  .strictObject({
    display_name: displayName.optional(),
    description: description.optional(),
    user_group_ids: idList(20).optional(),
    public_key: machinePublicKey.optional(),
    expires_at: expiresAt.nullable().optional(),
    rotate_api_key: z.literal(true).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something');

/** What is not in the body is not done: otherwise it is as today. */
export const firstUpdateUser: LedgerOperation = { ...updateUser, body: updateBody };
