import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { heldIf } from './tested.js';
import { listOf } from './listed.js';

export const venueIds = {
  name: 'venue_ids',
  field: 'venueIds',
  text: 'Ids of the venues that the key may be for. Absent: any, or none.',
  ...listOf(s.string().max(64), s.string()),
  words: { form: 'list', label: 'Venues', entries: 'such as binance' },
  turn: 'standing',
  test: (wanted, { request }) => heldIf(wanted.includes(request.venueId ?? '')),
} as const satisfies Condition<readonly string[]>;
