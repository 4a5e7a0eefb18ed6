/** What becomes of a signing policy's rules and versions, as gateways and nodes of today take them. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import { findVersion } from '@countersign/vault/operations/find-version.js';
import { signingPolicyView } from '@countersign/vault/views/policy-view.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;
let groupId: string;

const PATH = '/v1/signing-policies';
const allow = (when: object = { initiators: 'anyone' }) => ({
  display_name: 'Allow',
  when,
  then: 'allow',
});
const deny = { display_name: 'Stop', when: {}, then: 'deny' };

beforeEach(() => {
  ledger = createLedgerBuilder();
  groupId = ledger.must(ledger.admin, 'POST', '/v1/security-groups', { display_name: 'Keys' });
});

function post(...rules: readonly object[]) {
  const body = { display_name: 'Policy', security_group_id: groupId, rules };
  return ledger.send(ledger.admin, 'POST', PATH, body);
}

function made(...rules: readonly object[]): string {
  const { subject, refusal } = post(...rules);
  if (subject === undefined) throw new Error(refusal?.message);
  return subject.resourceIds[0]!;
}

/** As `GET` gives it. */
function read(id: string) {
  const policy = ledger.state.signingPolicies.rows.get(id)!;
  return signingPolicyView(policy, ledger.state.securityGroups.rows.get(groupId)!);
}

const put = (id: string, body: object) => ledger.send(ledger.admin, 'PUT', `${PATH}/${id}`, body);

describe('initiators', () => {
  it.each([
    ['none', {}],
    ['none beside another condition', { operations: ['raw_sign'] }],
  ])('of a rule that allows are named: %s', (_what, when) => {
    expect(post(allow(when)).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message:
        'rules.0.when.initiators: a rule that does not deny must name users, user groups or "anyone"',
    });
  });

  it('are refused by every node, also past the gateway', () => {
    const body = { display_name: 'P', security_group_id: groupId, rules: [allow({})] };
    const { refusal } = ledger.sendUnchecked(ledger.admin, 'POST', PATH, body);
    expect(refusal?.refused).toBe('invalid_inputs');
  });

  it('need not be named by a rule that denies', () => {
    expect(post(deny).refusal).toBeUndefined();
  });
});

describe('an update', () => {
  it('takes back what was read, and rules keep their ids', () => {
    const id = made(allow(), { ...allow(), then: 'deny', when: { operations: ['raw_sign'] } });
    const before = read(id);
    expect(put(id, before).refusal).toBeUndefined();
    const { version, last_updated_at: _at, ...same } = read(id);
    expect(version).toBe(2);
    expect(before).toMatchObject(same);
  });

  it('gives a new rule a new id, and an old one keeps its own wherever it stands', () => {
    const id = made(allow());
    const [old] = read(id).rules;
    expect(put(id, { ...read(id), rules: [deny, old] }).refusal?.message).toMatch(
      /can never match/,
    );
    const narrow = { ...deny, when: { operations: ['raw_sign'] } };
    expect(put(id, { ...read(id), rules: [narrow, old] }).refusal).toBeUndefined();
    const [fresh, kept] = read(id).rules;
    expect(kept?.id).toBe(old?.id);
    expect(fresh?.id).not.toBe(old?.id);
  });

  it.each([
    ['of no rule', () => ({ rules: [{ ...allow(), id: groupId }] })],
    ['twice', (id: string) => ({ rules: [read(id).rules[0], read(id).rules[0]] })],
  ])('refuses an id %s', (_what, change) => {
    const id = made(allow());
    expect(put(id, { ...read(id), ...change(id) }).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringMatching(/^rules\.[01]\.id: /) as unknown,
    });
  });

  it('refuses an id of a rule where there is none to keep', () => {
    expect(post({ ...allow(), id: groupId }).refusal).toMatchObject({ refused: 'invalid_inputs' });
  });

  it('refuses another policy, and another group', () => {
    const id = made(allow());
    expect(put(id, { ...read(id), id: groupId }).refusal?.message).toMatch(/^id: /);
    expect(put(id, { ...read(id), security_group_id: id }).refusal?.message).toMatch(
      /^security_group_id: /,
    );
  });
});

describe('the versions of a policy', () => {
  const versionOf = (id: string, version: string) => {
    const row = findVersion(ledger.state.signingPolicies, id, version);
    return isRefusal(row) ? row.refused : row.displayName;
  };

  it('stay, also when it is deleted', () => {
    const id = made(allow());
    for (const name of ['Second', 'Third']) put(id, { ...read(id), display_name: name });
    ledger.must(ledger.admin, 'DELETE', `${PATH}/${id}`);
    expect(['1', '2', '3', '4', '0', '01', 'x', ''].map((text) => versionOf(id, text))).toEqual([
      'Policy',
      'Second',
      'Third',
      ...Array<string>(5).fill('resource_not_found'),
    ]);
  });

  it('stay of an administrative policy, too', () => {
    const body = {
      display_name: 'First',
      action: 'freeze',
      effect: 'allow',
      subjects: { user_ids: [ledger.admin.id] },
    };
    const id = ledger.must(ledger.admin, 'POST', '/v1/admin-policies', body);
    const path = `/v1/admin-policies/${id}`;
    ledger.must(ledger.admin, 'PUT', path, { ...body, display_name: 'Next', version: 1 });
    ledger.must(ledger.admin, 'DELETE', path);
    const names = ['1', '2', '3'].map((version) => {
      const row = findVersion(ledger.state.adminPolicies, id, version);
      return isRefusal(row) ? row.refused : row.displayName;
    });
    expect(names).toEqual(['First', 'Next', 'resource_not_found']);
  });
});

describe('what is refused when it is written', () => {
  const anyone = { initiators: 'anyone' };
  it.each([
    [{ ...anyone, operation_classes: ['withdraw'] }, /withdraw without a bound/],
    [{ ...anyone, operation_classes: ['read', 'transfer'] }, /transfer without a bound/],
    [{ ...anyone, operation_classes: ['withdraw'], amount: { min: '1' } }, /without a bound/],
    [{ ...anyone, operation_classes: ['transfer'], destinations: ['a'] }, /without a bound/],
    [{ ...anyone, amount: { max: '0.0' } }, /a cap of zero/],
    [{ ...anyone, time: { from: '09:00', time_zone: 'Europe/Atlantis' } }, /unknown time zone/],
    [{ ...anyone, time: { from: '9:00', time_zone: 'UTC' } }, /a time of day/],
    [{ ...anyone, time: { from: '09:00', to: '09:00', time_zone: 'UTC' } }, /the same/],
    [{ ...anyone, time: { time_zone: 'UTC' } }, /must state days, from or to/],
    [{ ...anyone, operations: ['raw_sign'], destinations: ['a'] }, /nothing is known/],
    [{ ...anyone, assets: ['solana-mainnet/sol'], symbols: ['A'] }, /name symbols/],
  ])('%j', (when, message) => {
    expect(post(allow(when)).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringMatching(message) as unknown,
    });
  });

  it.each([
    { ...anyone, operation_classes: ['withdraw'], destinations: ['a'] },
    { ...anyone, operation_classes: ['withdraw', 'transfer'], amount: { max: '1' } },
    { ...anyone, time: { days: ['mon'], from: '22:00', to: '06:00', time_zone: 'UTC' } },
    {
      ...anyone,
      assets: ['solana-mainnet/sol'],
      destinations: ['a'],
      networks: ['solana-mainnet'],
    },
  ])('but not %j, which is shown as it was stated', (when) => {
    const id = made(allow(when));
    expect(read(id).rules[0]?.when).toEqual(when);
  });
});
