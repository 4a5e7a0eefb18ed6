/** The address book: destinations with names, in lists that rules name. */
import * as s from '@countersign/core/shapes.js';
import { pageOf, stampFields } from './common-schema.js';
import {
  commaSeparatedIds,
  DESCRIPTION_TEXT,
  DISPLAY_NAME_TEXT,
  id,
  pageQuery,
} from './primitives.js';
import type { RequestTexts } from './request-texts.js';

const ENTRIES_TEXT =
  'Addresses with names, 1 to 1000, no address twice. Addresses are compared as they stand, as in `destinations` of rules.';
const ENTRY_TEXTS = {
  address: 'The address, as requests name it: printable ASCII, at most 256 characters.',
  display_name: 'Whose address it is, for people: 1 to 128 characters.',
};

export const createAddressListTexts: RequestTexts = {
  name: 'CreateAddressListRequest',
  body: {
    display_name: DISPLAY_NAME_TEXT,
    description: DESCRIPTION_TEXT,
    entries: [ENTRIES_TEXT, ENTRY_TEXTS],
  },
};

export const updateAddressListTexts: RequestTexts = {
  name: 'UpdateAddressListRequest',
  body: {
    version: 'The version that was read: 409 when it is another by now.',
    display_name: 'New name. Absent: unchanged.',
    description: 'New text; null: none. Absent: unchanged.',
    entries: [`All entries from now on. ${ENTRIES_TEXT} Absent: unchanged.`, ENTRY_TEXTS],
  },
};

export const addressList = s
  .strictObject({
    id: id.describe('Id of the list: rules name it in `destination_lists`.'),
    display_name: s.string().describe('Name for people.'),
    description: s.string().nullable().describe('Text for people; null for none.'),
    entries: s
      .array(
        s.strictObject({
          address: s.string().describe('The address, as requests name it.'),
          display_name: s.string().describe('Whose address it is, for people.'),
        }),
      )
      .describe('Addresses with names, in the order in which they were given.'),
    version: s.int().describe('Begins at 1 and rises by 1 with every update.'),
    ...stampFields,
  })
  .meta({ id: 'AddressList' });

export const addressListPage = pageOf('AddressListPage', addressList);

export const listAddressListsQuery = s.strictObject({
  ...pageQuery,
  display_name_like: s
    .string()
    .max(128)
    .optional()
    .describe('Part of the name, without regard to case. Absent: all.'),
  list_ids: commaSeparatedIds
    .optional()
    .describe('Comma-separated ids of lists, at most 100. Absent: all.'),
});
