/**
 * The story that `test/vectors/address-book-ledger.json` records: lists of the address book, accepted and refused, and a
 * rule that names one.
 */
import { createLedgerBuilder, type LedgerBuilder } from './ledger-builder.ts';
import { UNKNOWN_ID } from './operation-inputs.ts';

const LISTS = '/v1/address-lists';
const entry = (address: string) => ({ address, display_name: `Bank of ${address}` });

export function tellAddressBookStory(): LedgerBuilder {
  const ledger = createLedgerBuilder();
  const { admin } = ledger;
  const cold = { display_name: 'Cold storage', entries: [entry('ours-1'), entry('ours-2')] };
  const listId = ledger.must(admin, 'POST', LISTS, cold);
  const other = ledger.must(admin, 'POST', LISTS, { ...cold, description: 'of the other desk' });
  ledger.sendUnchecked(admin, 'POST', LISTS, { ...cold, entries: [] });
  ledger.sendUnchecked(admin, 'POST', LISTS, { ...cold, entries: [entry('a'), entry('a')] });
  const group = ledger.must(admin, 'POST', '/v1/security-groups', { display_name: 'Desk' });
  const policyId = tellOfRules(ledger, group, listId);
  ledger.must(admin, 'PUT', `${LISTS}/${listId}`, { version: 1, entries: [entry('ours-1')] });
  ledger.must(admin, 'PUT', `${LISTS}/${listId}`, {
    ...{ version: 2, display_name: 'Vaults', description: 'cold' },
  });
  ledger.sendUnchecked(admin, 'PUT', `${LISTS}/${listId}`, { version: 1, display_name: 'late' });
  ledger.sendUnchecked(admin, 'PUT', `${LISTS}/${UNKNOWN_ID}`, { version: 1 });
  ledger.sendUnchecked(admin, 'DELETE', `${LISTS}/${listId}`);
  ledger.must(admin, 'DELETE', `${LISTS}/${other}`);
  ledger.sendUnchecked(admin, 'DELETE', `${LISTS}/${other}`);
  const path = `/v1/signing-policies/${policyId}`;
  ledger.sendUnchecked(admin, 'PUT', path, { ...policyOf(group, other), version: 1 });
  return ledger;
}

function tellOfRules(ledger: LedgerBuilder, group: string, listId: string): string {
  const path = '/v1/signing-policies';
  const { admin } = ledger;
  ledger.sendUnchecked(admin, 'POST', path, policyOf(group, UNKNOWN_ID));
  const both = { destinations: ['ours-1'] };
  ledger.sendUnchecked(admin, 'POST', path, policyOf(group, listId, both));
  return ledger.must(admin, 'POST', path, policyOf(group, listId));
}

export function policyOf(group: string, listId: string, more = {}) {
  const when = { initiators: 'anyone', destination_lists: [listId], ...more };
  return {
    display_name: 'Payments',
    security_group_id: group,
    rules: [{ display_name: 'To our own', when, then: 'allow' }],
  };
}
