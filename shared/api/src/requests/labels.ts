/** Labels of keys and wallets, and requests that make many at a time. */
import * as s from '@countersign/core/shapes.js';
import { MEMBER_TYPES } from '@countersign/core/vocabulary.js';

const MAX_LABELS = 20;

export const labels = s
  .record(s.string().regex(/^[a-z0-9_.-]{1,64}$/), s.string().max(256))
  .refine((map) => Object.keys(map).length <= MAX_LABELS, `at most ${MAX_LABELS} labels`);

/** Selects whatever has every one of the labels. */
export const labelSelector = s.strictObject({
  labels: labels.refine((map) => Object.keys(map).length > 0, 'must name at least one label'),
  types: s
    .array(s.words(MEMBER_TYPES))
    .min(1)
    .max(MEMBER_TYPES.length)
    .refine((types) => new Set(types).size === types.length, 'must not repeat a type')
    .optional(),
});

/** How many keys or wallets one request may make. */
export const MAX_BULK = 100;
