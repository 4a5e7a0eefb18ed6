/** Groups that select their members by labels: a new key falls under the right rules by itself, and under no others. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { canBeAllowed } from '@countersign/vault/policy/allowing-rules.js';
import { isInGroup } from '@countersign/vault/policy/group-filter.js';
import { groupIdsOf } from '@countersign/vault/policy/group-membership.js';
import {
  createLedgerBuilder,
  keyStory,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;
let trader: LedgerUser;
/** Selects what has `desk: one` and `env: live`; its rule lets the trader sign. */
let groupId: string;

beforeEach(() => {
  ledger = createLedgerBuilder();
  trader = ledger.addMachine('Trader');
  groupId = groupOf({ desk: 'one', env: 'live' });
});

const post = (path: string, body: object, user = ledger.admin) =>
  ledger.must(user, 'POST', path, body);
const key = (labels?: object) => ({
  type: 'ed25519',
  display_name: 'Key',
  ...(labels && { labels }),
});

function groupOf(labels: object, fields: { types?: string[]; vault_ids?: string[] } = {}): string {
  const { types, ...others } = fields;
  const id = post('/v1/security-groups', {
    display_name: `Group ${ledger.rows.length}`,
    selector: { labels, ...(types && { types }) },
    ...others,
  });
  const when = { operations: ['sign', 'raw_sign'], initiators: { user_ids: [trader.id] } };
  post('/v1/signing-policies', {
    display_name: 'Policy',
    security_group_id: id,
    rules: [{ display_name: 'Rule', when, then: 'allow' }],
  });
  return id;
}

function maySign(memberId: string, user = trader): boolean {
  const initiator = ledger.state.users.rows.get(user.id)!;
  return canBeAllowed(ledger.state, memberId, { operation: 'raw_sign', initiator });
}

describe('a key', () => {
  it.each([
    ['all of the labels', { desk: 'one', env: 'live' }, true],
    ['more than these', { env: 'live', other: 'x', desk: 'one' }, true],
    ['one of them', { desk: 'one' }, false],
    ['another value of one', { desk: 'one', env: 'test' }, false],
    ['none', {}, false],
    ['names that every object has', { constructor: 'one', valueof: 'live' }, false],
  ])('with %s falls under the rules by itself: %s is %s', (_name, labels, isMember) => {
    const id = post('/v1/keys', key(labels));
    expect(groupIdsOf(ledger.state, id)).toEqual(isMember ? [groupId] : []);
    expect(maySign(id)).toBe(isMember);
    expect(maySign(id, ledger.admin)).toBe(false);
  });

  it('is in each group once, named or selected, the named ones first', () => {
    const id = post('/v1/keys', key({ desk: 'one', env: 'live' }));
    for (const party of [1, 2, 3] as const) ledger.attest(party, id, keyStory(id));
    const other = post('/v1/security-groups', { display_name: 'Other' });
    const member = { member_id: id, member_type: 'key' };
    for (const group of [other, groupId]) {
      ledger.must(ledger.admin, 'PATCH', `/v1/security-groups/${group}/members`, { add: [member] });
    }
    expect(groupIdsOf(ledger.state, id)).toEqual([other, groupId]);
  });

  it('is selected no more once the selector is another, or gone', () => {
    const id = post('/v1/keys', key({ desk: 'one', env: 'live' }));
    const put = (selector: object | null) =>
      ledger.must(ledger.admin, 'PUT', `/v1/security-groups/${groupId}`, { selector });
    put({ labels: { desk: 'two' } });
    expect(maySign(id)).toBe(false);
    put({ labels: { env: 'live' } });
    expect(maySign(id)).toBe(true);
    put(null);
    expect(maySign(id)).toBe(false);
    expect(ledger.state.securityGroups.indexes.bySelector.size).toBe(0);
    expect(ledger.state.securityGroups.rows.get(groupId)).not.toHaveProperty('selector');
  });

  it('is no member of a group of wallets, nor of one that is limited to vaults', () => {
    const vaultId = post('/v1/vaults', { display_name: 'Desk' });
    const wallets = groupOf({ desk: 'two' }, { types: ['wallet'] });
    const limited = groupOf({ desk: 'two' }, { vault_ids: [vaultId] });
    const id = post('/v1/keys', key({ desk: 'two' }));
    expect(groupIdsOf(ledger.state, id)).toEqual([]);
    const walletId = post(`/v1/vaults/${vaultId}/wallets`, {
      network_family: 'solana',
      labels: { desk: 'two' },
    });
    expect(groupIdsOf(ledger.state, walletId)).toEqual([wallets, limited]);
    const { keyId } = ledger.state.wallets.rows.get(walletId)!;
    expect(groupIdsOf(ledger.state, keyId)).toEqual([]);
    const elsewhere = post('/v1/vaults', { display_name: 'Elsewhere' });
    const other = post(`/v1/vaults/${elsewhere}/wallets`, {
      network_family: 'solana',
      labels: { desk: 'two' },
    });
    expect(groupIdsOf(ledger.state, other)).toEqual([wallets]);
    expect(isInGroup(ledger.state, other, limited)).toBe(false);
  });

  it('is refused where its venue could not hold a rule of the group', () => {
    const group = post('/v1/security-groups', {
      display_name: 'Symbols',
      selector: { labels: { desk: 'three' } },
    });
    const when = { initiators: { user_ids: [trader.id] }, symbols: ['BTC-USD'] };
    post('/v1/signing-policies', {
      display_name: 'Policy',
      security_group_id: group,
      rules: [{ display_name: 'Rule', when, then: 'allow' }],
    });
    const body = { ...key({ desk: 'three' }), venue_id: 'coinbase_advanced' };
    expect(ledger.send(ledger.admin, 'POST', '/v1/keys', body).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringMatching(/the rule "Rule"/) as unknown,
    });
  });
});

describe('whoever makes keys', () => {
  const LABELS = { desk: 'one', env: 'live' };

  it('puts them under the rules of a group that they may not manage', () => {
    const maker = ledger.addMachine('Maker', ['generate_keys']);
    expect(maySign(post('/v1/keys', key(LABELS), maker))).toBe(true);
  });

  it.each([
    ['one', '/v1/keys', key(LABELS)],
    ['many', '/v1/keys/bulk', { keys: [key(), key(LABELS)] }],
  ])('gives themselves no signature by the labels of %s', (_name, path, body) => {
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      display_name: 'Trader makes keys',
      action: 'generate_keys',
      effect: 'allow',
      subjects: { user_ids: [trader.id] },
    });
    const before = ledger.state.keys;
    expect(ledger.sendUnchecked(trader, 'POST', path, body).refusal).toMatchObject({
      refused: 'forbidden',
      message: expect.stringContaining(groupId) as unknown,
    });
    expect(ledger.state.keys).toBe(before);
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      display_name: 'Trader manages groups',
      action: 'manage_security_groups',
      effect: 'allow',
      subjects: { user_ids: [trader.id] },
    });
    expect(ledger.sendUnchecked(trader, 'POST', path, body).refusal).toBeUndefined();
  });

  it('gives themselves no wallet so, however their vaults are limited', () => {
    const vaultId = post('/v1/vaults', { display_name: 'Desk' });
    for (const action of ['manage_wallets', 'manage_security_groups']) {
      ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
        display_name: `Trader: ${action}`,
        action,
        effect: 'allow',
        subjects: { user_ids: [trader.id] },
        scope: { vault_ids: [vaultId] },
      });
    }
    const make = (labels: object) =>
      ledger.sendUnchecked(trader, 'POST', `/v1/vaults/${vaultId}/wallets`, {
        network_family: 'solana',
        labels,
      }).refusal;
    expect(make(LABELS)).toMatchObject({ refused: 'forbidden' });
    expect(make({ desk: 'one' })).toBeUndefined();
  });
});

describe('many at once', () => {
  it('are one entry, with ids of their own that every node comes to', () => {
    const before = ledger.rows.length;
    const keys = Array.from({ length: 100 }, (_, index) => ({
      ...key(),
      display_name: `Key ${index}`,
    }));
    const { subject } = ledger.send(ledger.admin, 'POST', '/v1/keys/bulk', { keys });
    // the entry, and two statements for it
    expect(ledger.rows.length - before).toBe(3);
    expect(new Set(subject!.resourceIds).size).toBe(100);
    const names = subject!.resourceIds.map((id) => ledger.state.keys.rows.get(id)?.displayName);
    expect(names).toEqual(keys.map(({ display_name }) => display_name));
  });

  it('are all made or none: one in the wrong is named', () => {
    const before = ledger.state.wallets;
    const vaultId = post('/v1/vaults', { display_name: 'Desk' });
    const path = `/v1/vaults/${vaultId}/wallets/bulk`;
    const wallets = [{ network_family: 'solana' }, { network_family: 'pluto' }];
    expect(ledger.sendUnchecked(ledger.admin, 'POST', path, { wallets }).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: 'wallets.1.network_family: must be a supported family',
    });
    expect(ledger.state.wallets).toBe(before);
  });

  it.each([0, 101])('are between 1 and 100, not %i', (length) => {
    const keys = Array.from({ length }, () => key());
    const { refusal } = ledger.send(ledger.admin, 'POST', '/v1/keys/bulk', { keys });
    expect(refusal).toMatchObject({ refused: 'invalid_inputs' });
  });
});
