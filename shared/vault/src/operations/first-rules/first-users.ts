/** Changing users as the first rules know it: nobody's passkeys are reset. */
import { machinePublicKey } from '@countersign/api/user-schema.js';
import { description, displayName, idList } from '@countersign/api/primitives.js';
import { z } from 'zod';
import type { LedgerOperation } from '../ledger-operation.js';
import { updateUser } from '../update-user.js';

const expiresAt = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

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
