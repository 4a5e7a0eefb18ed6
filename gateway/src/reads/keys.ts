import { key, keyPage, keyView, listKeysQuery } from '@countersign/shared/api/key-schema.js';
import { refuse, type Refusal } from '@countersign/shared/errors.js';
import type { Key, VaultState } from '@countersign/shared/ledger/state.js';
import { nothing } from '@countersign/shared/operations/lookups.js';
import type { z } from 'zod';
import { listMatcher, pageOf, textMatcher, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listKeys = readOperation({
  id: 'list-keys',
  method: 'GET',
  path: '/v1/keys',
  summary: 'List keys',
  action: 'view_system_resources',
  query: listKeysQuery,
  response: keyPage,
  handle: (context, { query }) =>
    pageOf(context, {
      name: 'keys',
      table: context.state.keys,
      query,
      matches: keyMatcher(query),
      view: keyView,
    }),
});

export const getKey = readOperation({
  id: 'get-key',
  method: 'GET',
  path: '/v1/keys/{key_id}',
  summary: 'Get a key',
  action: 'view_system_resources',
  query: nothing,
  response: key,
  handle: ({ state }, { params }) => viewOf(findVisibleKey(state, params['key_id']), keyView),
});

/** A key that is still being generated cannot be seen. */
function findVisibleKey(state: VaultState, id: string | undefined): Key | Refusal {
  const row = state.keys.rows.get(id ?? '');
  return row === undefined || row.status === 'generating'
    ? refuse('resource_not_found', 'no such resource')
    : row;
}

function keyMatcher(query: z.output<typeof listKeysQuery>): (row: Key) => boolean {
  const hasId = listMatcher(query.key_ids);
  const hasType = listMatcher(query.types);
  const hasVenue = listMatcher(query.venue_ids);
  const hasName = textMatcher(query.display_name_like);
  return (row) =>
    row.status !== 'generating' &&
    hasId(row.id) &&
    hasType(row.type) &&
    (query.venue_ids === undefined || (row.venueId !== null && hasVenue(row.venueId))) &&
    hasName(row.displayName);
}
