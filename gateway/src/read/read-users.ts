import {
  getUserOperation,
  listUsersOperation,
  whoamiOperation,
} from '@countersign/api/operations/users.js';
import { listUsersQuery } from '@countersign/api/user-schema.js';
import { userFullView } from '@countersign/vault/views/user-view.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import type * as s from '@countersign/core/shapes.js';
import { listMatcher, pageOf, textMatcher, viewOf } from './page.js';
import { readOperation } from './read-operation.js';
import { oncePerState } from './view-cache.js';

/** The view before the user expires: it is the same as long as the state is. */
const lastingView = oncePerState((state: VaultState, user: User) => userFullView(state, user, 0));

function userView(state: VaultState, user: User, now: number) {
  const isLasting = user.type === 'human' || user.expiresAt === null || user.expiresAt > now;
  return isLasting ? lastingView(state, user) : userFullView(state, user, now);
}

export const listUsers = readOperation({
  ...listUsersOperation,
  handle: (context, { query }) =>
    pageOf(context, {
      name: 'users',
      table: context.state.users,
      query,
      matches: userMatcher(query),
      view: (user) => userView(context.state, user, context.now),
    }),
});

export const getUser = readOperation({
  ...getUserOperation,
  handle: ({ state, now }, { params }) =>
    viewOf(findRow(state.users, params['user_id']), (user) => userView(state, user, now)),
});

export const whoami = readOperation({
  ...whoamiOperation,
  handle: ({ state, caller, now }) => userView(state, caller, now),
});

function userMatcher(query: s.OutputOf<typeof listUsersQuery>): (user: User) => boolean {
  const hasId = listMatcher(query.user_ids);
  const hasName = textMatcher(query.display_name_like);
  const hasEmail = textMatcher(query.email_contains);
  const isWantedGroup = listMatcher(query.is_in_groups);
  return (user) =>
    hasId(user.id) &&
    (query.is_type === undefined || user.type === query.is_type) &&
    hasName(user.displayName) &&
    (query.email_contains === undefined || (user.type === 'human' && hasEmail(user.email))) &&
    (query.is_in_groups === undefined || user.userGroupIds.some(isWantedGroup));
}
