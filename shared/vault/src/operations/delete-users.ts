import { deleteUsersRequest } from '@countersign/api/requests/users.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { deleteRow } from '../state/table.js';
import { findRows } from './lookups.js';
import { ledgerOperation } from './ledger-operation.js';

/**
 * Removes users; their ids stay in the ledger and in the audit log. 409 for the caller, and for the last
 * administrator.
 */
export const deleteUsers = ledgerOperation({
  ...deleteUsersRequest,
  affectsAdministrators: true,
  onlyTakesAway: true,
  apply(state, { query }, { actor }) {
    const users = findRows(state.users, query.user_ids);
    if (isRefusal(users)) return users;
    if (users.some((user) => user.id === actor.id)) {
      return refuse('resource_conflict', 'you cannot delete yourself');
    }
    const ids = users.map((user) => user.id);
    return {
      state: { ...state, users: ids.reduce((table, id) => deleteRow(table, id), state.users) },
      subject: { resourceType: 'user', resourceIds: ids, userIds: ids },
    };
  },
});
