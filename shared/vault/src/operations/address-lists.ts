/**
 * The address book. A list decides through the rules that name it, so it takes the right to change these: on no vault
 * in particular, which asks for the approvals of all policies that give that right.
 */
import {
  createAddressListRequest,
  deleteAddressListRequest,
  updateAddressListRequest,
} from '@countersign/api/requests/address-lists.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import type * as s from '@countersign/core/shapes.js';
import { quoteName } from '@countersign/core/quote-name.js';
import { addressListsOf, type AddressList, type VaultState } from '../state/state.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { findRow, newStamps, updatedStamps } from './lookups.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';

export const createAddressList = ledgerOperation({
  ...createAddressListRequest,
  apply(state, { body }, context) {
    const row: AddressList = {
      id: context.newId('address-list'),
      displayName: body.display_name,
      description: body.description ?? null,
      entries: entriesOf(body.entries),
      version: 1,
      ...newStamps(context),
    };
    return {
      state: { ...state, addressLists: insertRow(addressListsOf(state), row) },
      subject: subjectOf(row.id),
    };
  },
});

export const updateAddressList = ledgerOperation({
  ...updateAddressListRequest,
  apply(state, { params, body }, context) {
    const lists = addressListsOf(state);
    const before = findRow(lists, params['list_id']);
    if (isRefusal(before)) return before;
    if (body.version !== before.version) {
      return refuse('resource_conflict', `the list is at version ${before.version}`);
    }
    const row: AddressList = {
      ...before,
      displayName: body.display_name ?? before.displayName,
      description: body.description === undefined ? before.description : body.description,
      entries: body.entries === undefined ? before.entries : entriesOf(body.entries),
      version: before.version + 1,
      ...updatedStamps(context),
    };
    return {
      state: { ...state, addressLists: replaceRow(lists, row) },
      subject: subjectOf(row.id),
    };
  },
});

/** How many rules a refusal names. */
const MAX_NAMED = 10;

/** Removes a list. 409, naming rules, while one names it: whether it is on or off, it could not be decided without. */
export const deleteAddressList = ledgerOperation({
  ...deleteAddressListRequest,
  apply(state, { params }) {
    const lists = addressListsOf(state);
    const row = findRow(lists, params['list_id']);
    if (isRefusal(row)) return row;
    const naming = rulesNaming(state, row.id);
    if (naming.length > 0) {
      const named = naming.slice(0, MAX_NAMED).join(', ');
      return refuse('resource_conflict', `the list is named by ${named}`);
    }
    return {
      state: { ...state, addressLists: deleteRow(lists, row.id) },
      subject: subjectOf(row.id),
    };
  },
});

type EntriesBody = s.OutputOf<typeof createAddressListRequest.body>['entries'];

function entriesOf(body: EntriesBody): AddressList['entries'] {
  return body.map(({ address, display_name: displayName }) => ({ address, displayName }));
}

function rulesNaming({ signingPolicies }: VaultState, listId: string): string[] {
  return [...signingPolicies.rows.values()].flatMap(({ id: policyId, rules }) =>
    rules
      .filter(({ when }) => when.destinationLists?.includes(listId) === true)
      .map(({ displayName }) => `rule ${quoteName(displayName)} of signing policy ${policyId}`),
  );
}

function subjectOf(id: string): Subject {
  return { resourceType: 'address_list', resourceIds: [id] };
}
