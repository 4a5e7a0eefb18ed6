/** Users and user groups, as answers name them, and the texts of those that requests name. */
import { id } from '../requests/primitives.js';
import * as s from '@countersign/core/shapes.js';

export const SUBJECT_TEXTS = {
  user_ids: 'Ids of users, at most 100, none twice. Absent: none.',
  user_group_ids: 'Ids of user groups, at most 100, none twice: their members. Absent: none.',
};

export const shownSubjects = s.strictObject({
  user_ids: s.array(id).describe('Ids of users; empty for none.'),
  user_group_ids: s.array(id).describe('Ids of user groups: their members; empty for none.'),
});
