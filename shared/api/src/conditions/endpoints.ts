import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldOf } from './tested.js';
import { contentListOf } from './listed.js';

export const endpoints = {
  ...FORMS.endpoints,
  text: 'Endpoint of a venue request as in the table of the venue: `METHOD /path`, e.g. `POST /api/v5/trade/order`. Absent: any.',
  ...contentListOf(s.string()),
  words: { form: 'list', label: 'Endpoints', entries: 'such as POST /api/v3/order' },
  reads: ['venue_request'],
  isOfSessions: true,
  parts: () => ['endpoints'],
  test(wanted, { request: { venue } }, rule) {
    const found = [venue?.endpoint ?? ''].filter((endpoint) => endpoint !== '');
    return heldOf(found, rule, (endpoint) => wanted.includes(endpoint));
  },
} as const satisfies Condition<readonly string[]>;
