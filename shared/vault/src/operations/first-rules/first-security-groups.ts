/** Security groups under the first rules: they name their members, and select none. */
import { z } from 'zod';
import { displayName, id, idList } from '@countersign/api/primitives.js';
import { MEMBER_TYPES } from '@countersign/core/vocabulary.js';
import type { LedgerOperation } from '../ledger-operation.js';
import { createSecurityGroup, updateSecurityGroup } from '../security-groups.js';

const createBody = z.strictObject({
  display_name: displayName,
  vault_ids: idList().min(1).optional(),
  members: z
    .array(z.strictObject({ member_id: id, member_type: z.enum(MEMBER_TYPES) }))
    .max(100)
    .optional(),
});

export const FIRST_SECURITY_GROUP_OPERATIONS: readonly LedgerOperation[] = [
  { ...createSecurityGroup, body: createBody },
  { ...updateSecurityGroup, body: z.strictObject({ display_name: displayName }) },
];
