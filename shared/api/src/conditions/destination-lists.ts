/** Destinations by the address book: a rule names lists, whose entries are those of the state that decides. */
import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { untold } from './tested.js';
import { testDestinations } from './destinations.js';
import { contentListOf } from './listed.js';

export const destinationLists = {
  ...FORMS.destinationLists,
  text: 'Ids of address lists: as `destinations` with all of their addresses, by their entries at the time of the decision. At most 10; not beside `destinations`. Absent: any.',
  ...contentListOf(s.string()),
  words: { form: 'address lists', label: 'Destinations in lists' },
  reads: ['transaction', 'venue_request'],
  isLastAtVenues: true,
  parts: () => ['destinations'],
  test(listIds, asked, rule) {
    const lists = listIds.map((listId) => asked.addressesIn(listId));
    if (lists.includes(undefined)) return untold('an address list that it names is gone');
    return testDestinations(asked, rule, (address) => lists.some((list) => list?.has(address)));
  },
  bounds: ['withdraw'],
} as const satisfies Condition<readonly string[]>;
