import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldOf, untold } from './tested.js';
import { contentListOf } from './listed.js';

const SIDES = ['buy', 'sell'] as const;
type Side = (typeof SIDES)[number];

export const sides = {
  ...FORMS.sides,
  text: 'Sides of the orders: a rule that allows must cover all of the request, one that denies needs one. Absent: any.',
  ...contentListOf(s.words(SIDES)),
  words: { form: 'list', label: 'Sides', entries: { known: SIDES, none: 'any' } },
  reads: ['venue_request'],
  parts: () => ['sides'],
  test(wanted, { request: { venue } }, rule) {
    if (venue?.undecidable.includes('sides') === true) {
      return untold("this request's sides cannot be compared");
    }
    return heldOf(venue?.sides ?? [], rule, (side) => wanted.includes(side));
  },
} as const satisfies Condition<readonly Side[]>;
