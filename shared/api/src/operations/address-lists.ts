import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  addressList,
  addressListPage,
  createAddressListTexts,
  listAddressListsQuery,
  updateAddressListTexts,
} from '../address-list-schema.js';
import { ADDRESS_LIST_ID, addressList as listExample } from '../example-values.js';
import {
  createAddressListRequest,
  deleteAddressListRequest,
  updateAddressListRequest,
} from '../requests/address-lists.js';

const tag = 'address-lists';

const { display_name, description, entries } = listExample;

export const createAddressListOperation = apiOperation({
  ...WRITE,
  tag,
  ...createAddressListRequest,
  texts: createAddressListTexts,
  summary: 'Create an address list',
  description:
    'Adds a list of addresses with names. It allows nothing by itself: rules name it in `destination_lists`. Only a right that is not confined to vaults allows this.',
  response: addressList,
  example: { body: { display_name, description, entries }, response: listExample },
});

export const updateAddressListOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateAddressListRequest,
  texts: updateAddressListTexts,
  summary: 'Update an address list',
  description:
    'Changes what is given. Every rule that names the list goes by the new entries from then on. ' +
    'Answers 404 when there is no such list. Answers 409 when it is at another version.',
  response: addressList,
  example: {
    body: { version: 1, entries: entries.slice(0, 1) },
    response: { ...listExample, entries: entries.slice(0, 1), version: 2 },
  },
});

export const deleteAddressListOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteAddressListRequest,
  summary: 'Delete an address list that no rule names',
  description:
    'Deletes a list. Answers 404 when there is no such list. Answers 409 while a rule names it, and names up to ten of these rules.',
  response: deletedView,
  example: { response: { deleted: [ADDRESS_LIST_ID] } },
});

export const listAddressListsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-address-lists',
  method: 'GET',
  path: '/v1/address-lists',
  summary: 'List address lists',
  description: 'Address lists in the order of their creation, oldest first, page by page.',
  action: 'view_system_resources',
  query: listAddressListsQuery,
  response: addressListPage,
  example: {
    query: { display_name_like: 'cold' },
    response: { results: [listExample], next_cursor: null },
  },
});

export const getAddressListOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-address-list',
  method: 'GET',
  path: '/v1/address-lists/{list_id}',
  summary: 'Get an address list',
  description: 'One address list. Answers 404 when there is no such list.',
  action: 'view_system_resources',
  response: addressList,
  example: { response: listExample },
});

export const ADDRESS_LIST_OPERATIONS = [
  createAddressListOperation,
  updateAddressListOperation,
  deleteAddressListOperation,
  listAddressListsOperation,
  getAddressListOperation,
] as const;
