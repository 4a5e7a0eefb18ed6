import {
  getAddressListOperation,
  listAddressListsOperation,
} from '@countersign/api/operations/address-lists.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { addressListsOf } from '@countersign/vault/state/state.js';
import { addressListView } from '@countersign/vault/views/address-list-view.js';
import { listMatcher, pageOf, textMatcher, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listAddressLists = readOperation({
  ...listAddressListsOperation,
  handle(context, { query }) {
    const hasId = listMatcher(query.list_ids);
    const hasName = textMatcher(query.display_name_like);
    return pageOf(context, {
      name: 'address-lists',
      table: addressListsOf(context.state),
      query,
      matches: (row) => hasId(row.id) && hasName(row.displayName),
      view: addressListView,
    });
  },
});

export const getAddressList = readOperation({
  ...getAddressListOperation,
  handle: ({ state }, { params }) =>
    viewOf(findRow(addressListsOf(state), params['list_id']), addressListView),
});
