import {
  getImportRecipientsOperation,
  getKeyOperation,
  listKeysOperation,
} from '@countersign/api/operations/keys.js';
import { listKeysQuery } from '@countersign/api/key-schema.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { importRecipientsView, keyView } from '@countersign/vault/views/key-view.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import { isInGroup } from '@countersign/vault/policy/group-filter.js';
import { findVisibleKey, isVisibleKey } from '@countersign/vault/operations/keys.js';
import type * as s from '@countersign/core/shapes.js';
import { listMatcher, pageOf, textMatcher, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listKeys = readOperation({
  ...listKeysOperation,
  handle: (context, { query }) =>
    pageOf(context, {
      name: 'keys',
      table: context.state.keys,
      query,
      matches: keyMatcher(context.state, query),
      view: (row) => keyView(context.state, row, CATALOGUES),
    }),
});

export const getKey = readOperation({
  ...getKeyOperation,
  handle: ({ state }, { params }) =>
    viewOf(findVisibleKey(state, params['key_id']), (row) => keyView(state, row, CATALOGUES)),
});

export const getImportRecipients = readOperation({
  ...getImportRecipientsOperation,
  handle: ({ state }) => importRecipientsView(state),
});

function keyMatcher(
  state: VaultState,
  query: s.OutputOf<typeof listKeysQuery>,
): (row: Key) => boolean {
  const hasId = listMatcher(query.key_ids);
  const hasType = listMatcher(query.types);
  const hasVenue = listMatcher(query.venue_ids);
  const hasName = textMatcher(query.display_name_like);
  return (row) =>
    isVisibleKey(row) &&
    hasId(row.id) &&
    hasType(row.type) &&
    isInGroup(state, row.id, query.security_group_id) &&
    (query.venue_ids === undefined || (row.venueId !== null && hasVenue(row.venueId))) &&
    hasName(row.displayName);
}
