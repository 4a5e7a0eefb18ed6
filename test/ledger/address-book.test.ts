/** The address book: who may change it, what a change does to the rules that name a list, and what it takes to be heard. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { VaultState } from '@countersign/vault/state/state.js';
import { reviewItem } from '../../signer/dist/signing/review-item.js';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';
import { UNKNOWN_ID } from '../support/operation-inputs.ts';
import { makeVenueKey } from '../support/venue-reading-key.ts';

const LISTS = '/v1/address-lists';

let ledger: LedgerBuilder;
let bot: LedgerUser;
let ann: LedgerUser;
let ben: LedgerUser;
let listId: string;

beforeEach(() => {
  ledger = createLedgerBuilder();
  [bot, ann, ben] = ['bot', 'ann', 'ben'].map((name) => ledger.addMachine(name)) as [
    LedgerUser,
    LedgerUser,
    LedgerUser,
  ];
  listId = must('POST', LISTS, { display_name: 'Cold storage', entries: entries('bc1qours') });
});

const must = (method: string, target: string, body?: object, user = ledger.admin) =>
  ledger.must(user, method, target, body);

const refusalOf = (user: LedgerUser, method: string, target: string, body?: object) =>
  ledger.send(user, method, target, body).refusal;

const entries = (...addresses: string[]) =>
  addresses.map((address) => ({ address, display_name: `Bank of ${address}` }));

const withdrawing = (when: object = { destination_lists: [listId] }, then: unknown = 'allow') => ({
  display_name: 'To our own',
  when: { operation_classes: ['withdraw'], initiators: 'anyone', ...when },
  then,
});

const deskOf = (...rules: object[]) => makeVenueKey(ledger, 'binance', rules);

/** What a party says of a withdrawal, over this state: undefined where it would sign. */
function deniedByParty(keyId: string, address: string, state: VaultState = ledger.state) {
  const query = `coin=BTC&address=${address}&amount=1`;
  const path = '/sapi/v1/capital/withdraw/apply';
  const evidence = ledger.evidenceOf(bot, 'POST', `/v1/keys/${keyId}/sign`, {
    venue_request: { channel: 'rest', method: 'POST', path, query },
  });
  const item = { submission: '00', receivedAt: ledger.now, nonce: 0n, evidence, index: undefined };
  const { verdict } = reviewItem(state, item, ledger.now);
  return verdict.kind === 'ready' ? undefined : verdict.refusal.message;
}

const change = (body: object) => ({
  version: ledger.state.addressLists!.rows.get(listId)!.version,
  ...body,
});
const put = (user: LedgerUser, body: object) =>
  refusalOf(user, 'PUT', `${LISTS}/${listId}`, change(body));

const allow = (user: LedgerUser, more: object = {}) =>
  must('POST', '/v1/admin-policies', {
    ...{ display_name: 'Policies', action: 'manage_signing_policies', effect: 'allow' },
    subjects: { user_ids: [user.id] },
    ...more,
  });

describe('a rule that names a list', () => {
  it('goes by its entries in the state that decides, and by no others', () => {
    const { keyId } = deskOf(withdrawing());
    const before = ledger.state;
    expect(deniedByParty(keyId, 'bc1qours')).toBeUndefined();
    expect(deniedByParty(keyId, 'bc1qtheirs')).toContain(': destination_lists');
    expect(put(ledger.admin, { entries: entries('bc1qtheirs') })).toBeUndefined();
    expect(deniedByParty(keyId, 'bc1qours')).toContain(': destination_lists');
    expect(deniedByParty(keyId, 'bc1qtheirs')).toBeUndefined();
    // what an older state allowed, a newer one does not change
    expect(deniedByParty(keyId, 'bc1qours', before)).toBeUndefined();
    expect(deniedByParty(keyId, 'bc1qtheirs', before)).toContain(': destination_lists');
  });

  it('that denies, denies what goes to any of them', () => {
    const others = withdrawing({ destinations: ['bc1qours', 'bc1qtheirs'] });
    const { keyId } = deskOf(withdrawing(undefined, 'deny'), others);
    expect(deniedByParty(keyId, 'bc1qours')).toContain('denied by rule');
    expect(deniedByParty(keyId, 'bc1qtheirs')).toBeUndefined();
  });

  it('bounds a withdrawal, as destinations do', () => {
    const group = must('POST', '/v1/security-groups', { display_name: 'Desk' });
    const body = (when: object) => ({
      ...{ display_name: 'P', security_group_id: group, rules: [withdrawing(when)] },
    });
    expect(refusalOf(ledger.admin, 'POST', '/v1/signing-policies', body({}))?.message).toContain(
      'without a bound',
    );
    must('POST', '/v1/signing-policies', body({ destination_lists: [listId] }));
  });

  it.each([
    ['a list that there is not', { destination_lists: [UNKNOWN_ID] }, 'unknown address list'],
    ['both', { destinations: ['bc1qours'] }, 'name addresses or address lists, not both'],
  ])('cannot name %s', (_what, when, text) => {
    const group = must('POST', '/v1/security-groups', { display_name: 'Desk' });
    const rules = [withdrawing({ destination_lists: [listId], ...when })];
    const body = { display_name: 'P', security_group_id: group, rules };
    const refusal = ledger.sendUnchecked(
      ledger.admin,
      'POST',
      '/v1/signing-policies',
      body,
    ).refusal;
    expect(refusal).toMatchObject({ refused: 'invalid_inputs' });
    expect(refusal?.message).toContain(text);
  });

  it('keeps the list from being deleted, on or off, and is named', () => {
    const { policyId } = deskOf({ ...withdrawing(), enabled: false });
    const target = `${LISTS}/${listId}`;
    expect(refusalOf(ledger.admin, 'DELETE', target)).toMatchObject({
      refused: 'resource_conflict',
      message: `the list is named by rule "To our own" of signing policy ${policyId}`,
    });
    const rules = [withdrawing({ destinations: ['bc1qours'] })];
    const path = `/v1/signing-policies/${policyId}`;
    must('PUT', path, { display_name: 'P', version: 1, rules });
    must('DELETE', target);
    expect(ledger.state.addressLists?.rows.size).toBe(0);
  });
});

describe('the right to change a list', () => {
  it('is that to signing policies, everywhere', () => {
    const vaultId = must('POST', '/v1/vaults', { display_name: 'Treasury' });
    expect(put(ann, { display_name: 'x' })).toMatchObject({ refused: 'forbidden' });
    allow(ann, { scope: { vault_ids: [vaultId] } });
    expect(put(ann, { display_name: 'x' })).toMatchObject({ refused: 'forbidden' });
    allow(ann);
    expect(put(ann, { display_name: 'x' })).toBeUndefined();
  });

  it('waits for the approvals that policies ask for, and changes nothing before', () => {
    const { keyId } = deskOf(withdrawing());
    allow(ann, { approvals: { quorum: 1, user_ids: [ben.id] } });
    const asked = ledger.send(
      ann,
      'PUT',
      `${LISTS}/${listId}`,
      change({ entries: entries('bc1qtheirs') }),
    );
    expect(asked).toMatchObject({ refusal: undefined, subject: { resourceType: 'request' } });
    expect(deniedByParty(keyId, 'bc1qtheirs')).toContain(': destination_lists');
    const [id] = asked.subject!.resourceIds;
    const { digest } = ledger.state.pendingRequests.rows.get(id!)!;
    expect(refusalOf(ann, 'POST', `/v1/requests/${id}/approve`, { digest })).toBeDefined();
    expect(deniedByParty(keyId, 'bc1qtheirs')).toContain(': destination_lists');
    must('POST', `/v1/requests/${id}/approve`, { digest }, ben);
    expect(deniedByParty(keyId, 'bc1qtheirs')).toBeUndefined();
  });

  it('waits for those of a policy for one vault, too', () => {
    const vaultId = must('POST', '/v1/vaults', { display_name: 'Treasury' });
    allow(ann);
    const approvals = { quorum: 1, user_ids: [ben.id] };
    allow(ann, { scope: { vault_ids: [vaultId] }, approvals });
    const asked = ledger.send(ann, 'PUT', `${LISTS}/${listId}`, change({ display_name: 'x' }));
    expect(asked.subject?.resourceType).toBe('request');
  });

  it('is nobody else’s: not a gateway’s, which changes what was signed', () => {
    const body = change({ entries: entries('bc1qtheirs') });
    const evidence = ledger.evidenceOf(ledger.admin, 'PUT', `${LISTS}/${listId}`, body);
    const text = evidence.body.toString().replaceAll('bc1qtheirs', 'bc1qmine00');
    const { refusal } = ledger.appendEvidence({ ...evidence, body: Buffer.from(text) });
    expect(refusal).toMatchObject({ refused: 'unauthorized' });
    const other = must('POST', LISTS, { display_name: 'Other', entries: entries('x') });
    const elsewhere = ledger.appendEvidence({ ...evidence, path: `${LISTS}/${other}` });
    expect(elsewhere.refusal).toMatchObject({ refused: 'unauthorized' });
  });
});

describe('a change of a list', () => {
  it('is one of the version that was read', () => {
    expect(put(ledger.admin, { display_name: 'x' })).toBeUndefined();
    expect(put(ledger.admin, { display_name: 'y', version: 1 })).toMatchObject({
      refused: 'resource_conflict',
      message: 'the list is at version 2',
    });
  });

  it('is told entry by entry in the audit log', () => {
    const body = change({ entries: entries('bc1qours', 'bc1qtheirs') });
    const [told] = ledger.send(ledger.admin, 'PUT', `${LISTS}/${listId}`, body).changes!;
    expect(told).toMatchObject({
      table: 'addressLists',
      fields: {
        entries: {
          added: [{ address: 'bc1qtheirs', displayName: 'Bank of bc1qtheirs' }],
          removed: [],
        },
      },
    });
  });

  it('that came too late for its list fails, and a rule that waits for it, too', () => {
    const { policyId } = deskOf(withdrawing({ destinations: ['bc1qours'] }));
    allow(ann, { approvals: { quorum: 1, user_ids: [ben.id] } });
    const body = { display_name: 'P', version: 1, rules: [withdrawing()] };
    const asked = ledger.send(ann, 'PUT', `/v1/signing-policies/${policyId}`, body);
    must('DELETE', `${LISTS}/${listId}`);
    const [id] = asked.subject!.resourceIds;
    const { digest } = ledger.state.pendingRequests.rows.get(id!)!;
    ledger.send(ben, 'POST', `/v1/requests/${id}/approve`, { digest });
    expect(ledger.state.pendingRequests.rows.get(id!)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('unknown address list'),
    });
  });
});
