import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldIf } from './tested.js';
import { listOf } from './listed.js';

export const venueIds = {
  ...FORMS.venueIds,
  text: 'Ids of the venues that the key may be for. Absent: any, or none.',
  ...listOf(s.string()),
  words: { form: 'list', label: 'Venues', entries: 'such as binance' },
  turn: 'standing',
  test: (wanted, { request }) => heldIf(FORMS.venueIds.isOf(wanted, request)),
} as const satisfies Condition<readonly string[]>;
