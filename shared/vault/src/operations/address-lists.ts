/**
 * The address book. A list decides through the rules that name it, so it takes the right to change these: on no vault
 * in particular, which asks for the approvals of all policies that give that right.
 */
import * as requests from '@countersign/api/requests/address-lists.js';
import { refuse } from '@countersign/core/errors.js';
import type * as s from '@countersign/core/shapes.js';
import { quoteName } from '@countersign/core/quote-name.js';
import type { AddressList, VaultState } from '../state/state.js';
import { ledgerOperation } from './ledger-operation.js';
import { RowKind, stated } from './row-kind.js';

const lists = new RowKind('addressLists', { what: 'list', resourceType: 'address_list' });

export const createAddressList = ledgerOperation({
  ...requests.createAddressListRequest,
  apply(state, { body: { display_name: displayName, description = null, entries } }, context) {
    const fields = { displayName, description, entries: entriesOf(entries), version: 1 };
    return lists.insert(state, lists.newRow(context, fields));
  },
});

export const updateAddressList = ledgerOperation({
  ...requests.updateAddressListRequest,
  apply(state, input, context) {
    const { display_name: displayName, description, entries } = input.body;
    const fields = stated({ displayName, description, entries: entries && entriesOf(entries) });
    return lists.change(state, input, context, (before) => ({ ...before, ...fields }));
  },
});

/** How many rules a refusal names. */
const MAX_NAMED = 10;

/** Removes a list. 409, naming rules, while one names it: whether it is on or off, it could not be decided without. */
export const deleteAddressList = ledgerOperation({
  ...requests.deleteAddressListRequest,
  apply: (state, { params }) =>
    lists.remove(state, params, ({ id }) => {
      const naming = rulesNaming(state, id).slice(0, MAX_NAMED).join(', ');
      return naming === ''
        ? undefined
        : refuse('resource_conflict', `the list is named by ${naming}`);
    }),
});

type EntriesBody = s.OutputOf<typeof requests.createAddressListRequest.body>['entries'];

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
