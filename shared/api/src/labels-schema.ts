/** How a security group selects keys and wallets by their labels. */
import * as s from '@countersign/core/shapes.js';
import { MEMBER_TYPES } from '@countersign/core/vocabulary.js';
import { labels } from './requests/labels.js';

const selectorLabels = labels
  .refine((map) => Object.keys(map).length > 0, 'must name at least one label')
  .describe('Labels, 1 to 20, name to value: what has every one of them is selected.');

export const labelSelectorBody = s.strictObject({
  labels: selectorLabels,
  types: s
    .array(s.words(MEMBER_TYPES))
    .min(1)
    .max(MEMBER_TYPES.length)
    .refine((types) => new Set(types).size === types.length, 'must not repeat a type')
    .optional()
    .describe('What is selected: `key`, `wallet` or both. Absent: both.'),
});

export const labelSelector = s.strictObject({
  labels: s
    .record(s.string(), s.string())
    .describe('Name to value: what has every one of them is a member.'),
  types: s.array(s.words(MEMBER_TYPES)).describe('What is selected: `key`, `wallet` or both.'),
});
