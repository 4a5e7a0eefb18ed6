/** Labels of keys and wallets, and what is made many at a time. */
import * as s from '@countersign/core/shapes.js';

const MAX_LABELS = 20;

export const labels = s
  .record(s.string().regex(/^[a-z0-9_.-]{1,64}$/), s.string().max(256))
  .refine((map) => Object.keys(map).length <= MAX_LABELS, `at most ${MAX_LABELS} labels`);

/** How many keys or wallets one request may make. */
export const MAX_BULK = 100;
