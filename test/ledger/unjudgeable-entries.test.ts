/** Nothing that an entry says ends a node: what cannot be judged is refused, on every node alike, and told. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { UnknownEvidenceKeyError } from '@countersign/core/evidence-seal.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import { CANNOT_BE_JUDGED } from '@countersign/vault/ledger/refuse-thrown.js';
import { rehearseRequest } from '@countersign/vault/ledger/rehearse.js';
import { rulesVersion1 } from '@countersign/vault/ledger/rules-version-1.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import {
  createLedgerBuilder,
  rawPublicKey,
  testPrivateKey,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;

beforeEach(() => {
  ledger = createLedgerBuilder();
});

/** What a node that starts now comes to. */
function foldAgain() {
  const fold = createFold({ keys: ledger.keys });
  fold.advance(ledger.rows);
  return fold.view.state;
}

const rule = (amount: object) => ({
  display_name: 'rule',
  when: { operations: ['sign'], initiators: 'anyone', amount },
  then: 'allow',
});

describe('a bound that is no decimal', () => {
  const bound = { min: '0.5', max: '1,000' };

  it('is a wrong input, and nothing that follows it is held up', () => {
    const group = ledger.must(ledger.admin, 'POST', '/v1/security-groups', { display_name: 'g' });
    const body = { display_name: 'p', security_group_id: group, rules: [rule(bound)] };
    const outcome = ledger.sendUnchecked(ledger.admin, 'POST', '/v1/signing-policies', body);
    expect([outcome.refusal?.refused, outcome.fault]).toEqual(['invalid_inputs', undefined]);
    ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: 'after it' });
    expect(stateHash(foldAgain())).toBe(stateHash(ledger.state));
  });

  it('is not read at all from who has no policy for it', () => {
    const bot = ledger.addMachine('bot');
    const body = { display_name: 'p', security_group_id: 'none', rules: [rule(bound)] };
    const outcome = ledger.sendUnchecked(bot, 'POST', '/v1/signing-policies', body);
    expect(outcome.refusal?.refused).toBe('forbidden');
  });
});

describe('one enrolment key for two people', () => {
  const key = rawPublicKey(testPrivateKey('enrolment')).toString('base64url');
  const person = (name: string) => ({
    type: 'human',
    display_name: name,
    email: `${name}@example.com`,
    cloud_provider: 'gcp',
    enrollment_public_key: key,
  });

  it('is refused for the second, also where both wait for two parties', () => {
    const [first, second] = ['ada', 'bob'].map((name) =>
      ledger.evidenceOf(ledger.admin, 'POST', '/v1/users', person(name)),
    );
    for (const evidence of [first!, second!]) {
      ledger.appendRow(encodeEvidenceEntry(ledger.now, evidence, ledger.keys));
    }
    for (const party of [1, 2] as const) ledger.appendRow(ledger.countersignature(party));
    const made = ledger.outcomes.filter(({ operation }) => operation?.id === 'create-user');
    expect(made.map(({ refusal }) => refusal?.refused)).toEqual([undefined, 'resource_conflict']);
    expect(made.map(({ fault }) => fault)).toEqual([undefined, undefined]);
    expect(stateHash(foldAgain())).toBe(stateHash(ledger.state));
  });

  it('is refused where somebody is to enrol anew with it', () => {
    ledger.must(ledger.admin, 'POST', '/v1/users', person('ada'));
    const { enrollment_public_key: _none, ...plain } = person('bob');
    const bob = ledger.must(ledger.admin, 'POST', '/v1/users', plain);
    const body = { reset_passkeys: true, enrollment_public_key: key };
    const { refusal, fault } = ledger.sendUnchecked(ledger.admin, 'PUT', `/v1/users/${bob}`, body);
    expect([refusal?.refused, fault]).toEqual(['resource_conflict', undefined]);
  });

  it('is refused where a change that a policy delays comes due behind another', () => {
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      display_name: 'slowly',
      action: 'manage_users',
      effect: 'allow',
      subjects: { user_ids: [ledger.admin.id] },
      delay_s: 3_600,
    });
    for (const name of ['ada', 'bob']) {
      ledger.sendUnchecked(ledger.admin, 'POST', '/v1/users', person(name));
    }
    ledger.now += 3_700_000;
    for (const party of [1, 2] as const) ledger.appendRow(ledger.countersignature(party));
    const held = [...ledger.state.pendingRequests.rows.values()];
    expect(held.map(({ status }) => status)).toEqual(['applied', 'failed']);
    expect(held[1]?.failure).toBe('resource_conflict');
    expect(stateHash(foldAgain())).toBe(stateHash(ledger.state));
  });
});

describe('a fault of the code that judges', () => {
  const thrower = (thrown: Error): Rules => ({
    ...rulesVersion1,
    operations: rulesVersion1.operations,
    judge(state, entry, moment) {
      const judgement = rulesVersion1.judge(state, entry, moment);
      if (judgement.facts.operation?.id === 'create-vault') throw thrown;
      return judgement;
    },
  });

  it('is one fixed refusal with the state as it was, told with the entry and without its text', () => {
    ledger = createLedgerBuilder({ rules: [thrower(new TypeError('secret of the caller'))] });
    const before = stateHash(ledger.state);
    const body = { display_name: 'desk' };
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/vaults', body);
    const outcome = ledger.appendEvidence(evidence);
    expect(outcome).toMatchObject({ refusal: CANNOT_BE_JUDGED, fault: 'TypeError' });
    expect(JSON.stringify(outcome)).not.toContain('secret of the caller');
    const { seq: _seq, headHash: _head, ...after } = ledger.state;
    expect(before).toBe(stateHash({ ...ledger.state, seq: 1, headHash: headOf(1) }));
    expect(after.vaults.rows.size).toBe(0);
    ledger.must(ledger.admin, 'POST', '/v1/user-groups', { display_name: 'goes on' });
  });

  it('shows in no optimistic state, and is not rehearsed as one', () => {
    ledger = createLedgerBuilder({ rules: [thrower(new TypeError('x'))] });
    const body = { display_name: 'desk' };
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/vaults', body);
    ledger.appendRow(encodeEvidenceEntry(ledger.now, evidence, ledger.keys));
    expect(ledger.view.optimistic.vaults.rows.size).toBe(0);
    expect(() => rehearseRequest(ledger.view, evidence, ledger.keys, ledger.now)).not.toThrow();
  });

  it.each([
    ['an evidence key that is not held', new UnknownEvidenceKeyError('no key')],
    ['a stack that is too small', new RangeError('Maximum call stack size exceeded')],
  ])('is no fault of the entry where it is %s: the node ends', (_what, thrown) => {
    ledger = createLedgerBuilder({ rules: [thrower(thrown)] });
    const body = { display_name: 'desk' };
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/vaults', body);
    expect(() => ledger.appendEvidence(evidence)).toThrow(thrown);
  });

  function headOf(seq: number): string {
    return Buffer.from(ledger.rows[seq - 1]!.hash).toString('hex');
  }
});
