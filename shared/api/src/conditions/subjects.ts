/** Users and user groups, as requests and answers name them. */
import { id, idList } from '../requests/primitives.js';
import * as s from '@countersign/core/shapes.js';

export const statedSubjects = s
  .strictObject({
    user_ids: idList().optional().describe('Ids of users, at most 100, none twice. Absent: none.'),
    user_group_ids: idList()
      .optional()
      .describe('Ids of user groups, at most 100, none twice: their members. Absent: none.'),
  })
  .refine(
    (subjects) => (subjects.user_ids?.length ?? 0) + (subjects.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

export const shownSubjects = s.strictObject({
  user_ids: s.array(id).describe('Ids of users; empty for none.'),
  user_group_ids: s.array(id).describe('Ids of user groups: their members; empty for none.'),
});
