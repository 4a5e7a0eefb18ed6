/** How a security group selects keys and wallets by their labels. */
import * as s from '@countersign/core/shapes.js';
import { MEMBER_TYPES } from '@countersign/core/vocabulary.js';

export const labelSelector = s.strictObject({
  labels: s
    .record(s.string(), s.string())
    .describe('Name to value: what has every one of them is a member.'),
  types: s.array(s.words(MEMBER_TYPES)).describe('Types that it selects: `key`, `wallet` or both.'),
});
