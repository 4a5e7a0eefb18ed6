/** Changes that wait for approvals: who counts, what an approval is for, and what nothing can make of one. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { approvalDigest } from '@countersign/core/approval.js';
import { toHex } from '@countersign/core/bytes.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { MAX_HELD_BY_ONE } from '@countersign/vault/ledger/waiting-rows.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { nextCountersignature } from '@countersign/vault/ledger/next-countersignature.js';
import type { PendingRequest } from '@countersign/vault/state/state.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';

const HOUR = 3_600_000;

let ledger: LedgerBuilder;
let alice: LedgerUser;
let bob: LedgerUser;
let carol: LedgerUser;
let dora: LedgerUser;

beforeEach(() => {
  ledger = createLedgerBuilder();
  [alice, bob, carol, dora] = ['alice', 'bob', 'carol', 'dora'].map((name) =>
    ledger.addMachine(name),
  ) as [LedgerUser, LedgerUser, LedgerUser, LedgerUser];
});

interface Asked {
  readonly action?: AdminPolicyType;
  readonly subjects?: readonly LedgerUser[];
  readonly approvals?: object;
  readonly delay_s?: number;
  readonly scope?: object;
}

const policyBody = ({ action = 'create_vaults', subjects = [alice], ...rest }: Asked) => ({
  display_name: 'Asked',
  action,
  effect: 'allow',
  subjects: { user_ids: subjects.map(({ id }) => id) },
  ...rest,
});

const quorum = (count: number, ...users: LedgerUser[]) => ({
  quorum: count,
  user_ids: users.map(({ id }) => id),
});

const addPolicy = (asked: Asked) =>
  ledger.must(ledger.admin, 'POST', '/v1/admin-policies', policyBody(asked));

interface Sent {
  readonly evidence: Evidence;
  readonly outcome: EntryOutcome;
  readonly id: string;
}

function ask(user: LedgerUser, method: string, target: string, body?: unknown): Sent {
  const evidence = ledger.evidenceOf(user, method, target, body);
  return {
    evidence,
    outcome: ledger.appendEvidence(evidence),
    id: requestIdOf(digestOf(evidence)),
  };
}

const askVault = (name = 'Treasury', user = alice) =>
  ask(user, 'POST', '/v1/vaults', { display_name: name });

const rowOf = (id: string): PendingRequest => ledger.state.pendingRequests.rows.get(id)!;

const decide = (user: LedgerUser, id: string, what: string, body: object = {}) =>
  ledger.send(user, 'POST', `/v1/requests/${id}/${what}`, body);

const approve = (user: LedgerUser, id: string, digest = rowOf(id).digest) =>
  decide(user, id, 'approve', { digest });

const vaults = () => [...ledger.state.vaults.rows.values()].map(({ displayName }) => displayName);

describe('a change that needs approvals', () => {
  it('waits, and takes effect with the last approval as if it had done so at once', () => {
    addPolicy({ approvals: quorum(2, bob, carol, dora) });
    const { id, outcome } = askVault();
    expect(outcome).toMatchObject({ refusal: undefined, subject: { resourceType: 'request' } });
    expect(rowOf(id)).toMatchObject({ status: 'waiting', given: [], createdBy: alice.id });
    expect(approve(bob, id).refusal).toBeUndefined();
    expect(vaults()).toEqual([]);
    const last = approve(carol, id);
    expect(last.decided).toMatchObject([{ requestId: id, actorId: alice.id }]);
    expect(vaults()).toEqual(['Treasury']);
    const { subject, status, call } = rowOf(id);
    expect({ status, call }).toEqual({ status: 'applied', call: null });
    const vault = ledger.state.vaults.rows.get(subject!.resourceIds[0]!)!;
    expect(vault).toMatchObject({ createdBy: alice.id, createdAt: last.at });
    expect(last.changes?.map(({ table }) => table).toSorted()).toEqual([
      'pendingRequests',
      'vaults',
    ]);
    expect([...ledger.state.pendingRequests.indexes.open]).toEqual([]);
    expect(ledgerEntryView(last)).toMatchObject({
      actor: carol.id,
      action: 'approve-request',
      resource: { type: 'request', ids: [id, vault.id], vault_ids: [vault.id] },
      details: { decided: [{ request_id: id, actor: alice.id, outcome: 'completed' }] },
    });
  });

  it('gives the ids and secrets that its own entry gives', () => {
    addPolicy({ action: 'manage_users', approvals: quorum(1, bob) });
    const sent = ask(alice, 'POST', '/v1/users', {
      type: 'machine',
      display_name: 'bot',
      public_key: Buffer.from(carol.publicKey, 'base64').toString('base64url'),
    });
    approve(bob, sent.id);
    const user = ledger.state.users.rows.get(rowOf(sent.id).subject!.resourceIds[0]!);
    const key = ledger.apiKeyOf(sent.outcome);
    const bot = { ...carol, apiKey: key, id: user!.id };
    // signs with the key that the first entry gives
    expect(ledger.send(bot, 'POST', '/v1/vaults', { display_name: 'x' }).refusal).toMatchObject({
      refused: 'forbidden',
    });
  });

  it('is the same at every node', () => {
    addPolicy({ approvals: quorum(1, bob) });
    const { id } = askVault();
    approve(bob, id);
    const fold = createFold({ keys: ledger.keys });
    fold.advance(ledger.rows);
    expect(stateHash(fold.view.state)).toBe(stateHash(ledger.state));
  });

  it('is refused at once where it would be refused if it were approved', () => {
    addPolicy({ approvals: quorum(1, bob) });
    ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: 'Treasury' });
    expect(askVault().outcome.refusal).toMatchObject({ refused: 'resource_conflict' });
    expect(ledger.state.pendingRequests.order.size).toBe(0);
  });

  it('needs what any of its policies asks for, and a denial still wins', () => {
    addPolicy({});
    expect(askVault('At once').outcome.subject?.resourceType).toBe('vault');
    addPolicy({ approvals: quorum(1, bob) });
    addPolicy({ approvals: quorum(1, carol) });
    const { id } = askVault();
    approve(bob, id);
    expect(rowOf(id).status).toBe('waiting');
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      ...policyBody({}),
      effect: 'deny',
    });
    expect(approve(carol, id).refusal).toMatchObject({ refused: 'resource_not_found' });
    expect(vaults()).toEqual(['At once']);
  });

  it('is bounded in number for each requester', () => {
    addPolicy({ approvals: quorum(1, bob) });
    for (let count = 0; count < MAX_HELD_BY_ONE; count++) {
      expect(askVault(`Vault ${count}`).outcome.refusal).toBeUndefined();
    }
    expect(askVault('One more').outcome.refusal).toMatchObject({ refused: 'resource_conflict' });
    // what has expired makes room
    ledger.now += 25 * HOUR;
    expect(askVault('One more').outcome.refusal).toBeUndefined();
    expect([...ledger.state.pendingRequests.indexes.open]).toHaveLength(1);
  });
});

describe('an approval that is worth nothing', () => {
  let id: string;
  beforeEach(() => {
    addPolicy({ approvals: quorum(2, alice, bob, carol, dora), subjects: [alice] });
    id = askVault().id;
  });

  it('is the requester’s own', () => {
    expect(approve(alice, id).refusal).toMatchObject({ refused: 'forbidden' });
    approve(bob, id);
    expect(vaults()).toEqual([]);
  });

  it('is a second one of the same user', () => {
    approve(bob, id);
    expect(approve(bob, id).refusal).toMatchObject({ refused: 'resource_conflict' });
    expect(rowOf(id).given).toHaveLength(1);
  });

  it('is of somebody who is not asked', () => {
    const eve = ledger.addMachine('eve', ['view_system_resources']);
    const mallory = ledger.addMachine('mallory');
    expect(approve(eve, id).refusal).toMatchObject({ refused: 'forbidden' });
    expect(approve(mallory, id).refusal).toMatchObject({ refused: 'resource_not_found' });
  });

  it('is for another request, also when the same bytes are sent to this one', () => {
    const other = askVault('Another');
    const { digest } = rowOf(other.id);
    expect(approve(bob, id, digest).refusal).toMatchObject({ refused: 'resource_conflict' });
    const evidence = ledger.evidenceOf(bob, 'POST', `/v1/requests/${other.id}/approve`, { digest });
    const forged = { ...evidence, path: `/v1/requests/${id}/approve` };
    expect(ledger.appendEvidence(forged).refusal).toMatchObject({ refused: 'unauthorized' });
    expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
    expect(ledger.appendEvidence(evidence).refusal).toMatchObject({ refused: 'unauthorized' });
    expect(rowOf(id).given).toEqual([]);
  });

  it('is of an approver who is frozen, deleted, expired, regrouped or has another key by then', () => {
    const group = ledger.must(ledger.admin, 'POST', '/v1/user-groups', {
      display_name: 'Officers',
    });
    const inGroup = (user: LedgerUser, ids: string[]) =>
      ledger.must(ledger.admin, 'PUT', `/v1/users/${user.id}`, { user_group_ids: ids });
    const officers = ['o1', 'o2', 'o3', 'o4', 'o5'].map((name) => ledger.addMachine(name));
    for (const user of officers) inGroup(user, [group]);
    addPolicy({
      subjects: [dora],
      approvals: { quorum: 2, user_ids: [bob.id], user_group_ids: [group] },
    });
    const waiting = askVault('Held', dora).id;
    for (const user of officers.slice(0, 1)) approve(user, waiting);
    const spoil = [
      (user: LedgerUser) =>
        ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${user.id}`),
      (user: LedgerUser) => ledger.must(ledger.admin, 'DELETE', `/v1/users?user_ids=${user.id}`),
      (user: LedgerUser) =>
        ledger.must(ledger.admin, 'PUT', `/v1/users/${user.id}`, {
          expires_at: new Date(ledger.now + 3_000).toISOString(),
        }),
      (user: LedgerUser) => inGroup(user, []),
      (user: LedgerUser) =>
        ledger.must(ledger.admin, 'PUT', `/v1/users/${user.id}`, { rotate_api_key: true }),
    ];
    for (const [index, user] of officers.entries()) {
      if (index > 0) expect(approve(user, waiting).refusal).toBeUndefined();
      spoil[index]!(user);
      ledger.now += 5_000;
      expect({ index, status: rowOf(waiting).status }).toEqual({ index, status: 'waiting' });
    }
    approve(bob, waiting);
    expect(rowOf(waiting)).toMatchObject({ status: 'waiting' });
    expect(rowOf(waiting).given).toHaveLength(officers.length + 1);
    expect(vaults()).toEqual([]);
  });

  it('comes too late', () => {
    approve(bob, id);
    ledger.now += 24 * HOUR;
    expect(approve(carol, id).refusal).toMatchObject({
      refused: 'resource_conflict',
      message: 'the request is expired',
    });
    expect(vaults()).toEqual([]);
  });

  it('comes after a rejection or a cancellation, which only some may give', () => {
    expect(decide(bob, id, 'cancel').refusal).toMatchObject({ refused: 'forbidden' });
    expect(decide(alice, id, 'reject').refusal).toMatchObject({ refused: 'forbidden' });
    expect(decide(dora, id, 'reject', { reason: 'No' }).refusal).toBeUndefined();
    expect(rowOf(id)).toMatchObject({ status: 'rejected', reason: 'No', endedBy: dora.id });
    expect(approve(bob, id).refusal).toMatchObject({ refused: 'resource_conflict' });
    const other = askVault('Other').id;
    expect(decide(alice, other, 'cancel').refusal).toBeUndefined();
    expect(rowOf(other)).toMatchObject({ status: 'cancelled', endedBy: alice.id });
    expect(approve(bob, other).refusal).toMatchObject({ refused: 'resource_conflict' });
  });
});

describe('the requester', () => {
  beforeEach(() => {
    addPolicy({ approvals: quorum(1, bob) });
  });

  it('who is frozen, or whose credential is another one, comes to nothing', () => {
    const { id } = askVault();
    ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${alice.id}`);
    expect(approve(bob, id).refusal).toMatchObject({ refused: 'forbidden' });
    ledger.must(ledger.admin, 'POST', `/v1/users/unfreeze?user_ids=${alice.id}`);
    ledger.must(ledger.admin, 'PUT', `/v1/users/${alice.id}`, { rotate_api_key: true });
    expect(approve(bob, id).refusal).toMatchObject({ refused: 'forbidden' });
    expect(vaults()).toEqual([]);
  });

  it('whose right is gone comes to nothing', () => {
    const { id } = askVault();
    for (const policy of ledger.state.adminPolicies.rows.values()) {
      if (policy.displayName !== 'Asked') continue;
      ledger.must(ledger.admin, 'DELETE', `/v1/admin-policies/${policy.id}`);
    }
    expect(approve(bob, id).refusal).toBeDefined();
    expect(vaults()).toEqual([]);
  });

  it('sees it fail where it cannot be done any more', () => {
    const { id } = askVault();
    ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: 'Treasury' });
    expect(approve(bob, id).refusal).toBeUndefined();
    expect(rowOf(id)).toMatchObject({ status: 'failed', failure: 'resource_conflict' });
  });

  it('cannot make approvers of their own', () => {
    for (const action of ['manage_users', 'manage_user_groups'] as const) {
      ledger.must(ledger.admin, 'POST', '/v1/admin-policies', policyBody({ action }));
    }
    const group = ledger.must(alice, 'POST', '/v1/user-groups', { display_name: 'Officers' });
    addPolicy({ approvals: { quorum: 1, user_ids: [bob.id], user_group_ids: [group] } });
    const puppet = {
      type: 'machine',
      display_name: 'puppet',
      public_key: Buffer.from(carol.publicKey, 'base64').toString('base64url'),
    };
    expect(ledger.send(alice, 'POST', '/v1/users', puppet).refusal).toBeUndefined();
    const inGroup = { ...puppet, user_group_ids: [group] };
    const forbidden = { refused: 'forbidden' };
    expect(ledger.send(alice, 'POST', '/v1/users', inGroup).refusal).toMatchObject(forbidden);
    const rekey = { public_key: puppet.public_key };
    const target = `/v1/users/${bob.id}`;
    expect(ledger.send(alice, 'PUT', target, rekey).refusal).toMatchObject(forbidden);
    expect(ledger.send(ledger.admin, 'POST', '/v1/users', inGroup).refusal).toBeUndefined();
  });
});

describe('what approvals may be asked for', () => {
  const refusalOf = (body: object) =>
    ledger.send(ledger.admin, 'POST', '/v1/admin-policies', body).refusal?.refused;

  it('is never a freeze, nor what is only looked at, nor what is denied', () => {
    for (const action of ['freeze', 'view_system_resources', 'view_audit_logs'] as const) {
      const asked = policyBody({ action, approvals: quorum(1, bob) });
      expect(refusalOf(asked)).toBe('invalid_inputs');
      expect(refusalOf(policyBody({ action, delay_s: 60 }))).toBe('invalid_inputs');
    }
    const asked = policyBody({ approvals: quorum(1, bob) });
    expect(refusalOf({ ...asked, effect: 'deny' })).toBe('invalid_inputs');
    expect(
      refusalOf(policyBody({ action: 'unfreeze', approvals: quorum(1, bob) })),
    ).toBeUndefined();
  });

  it.each([
    { quorum: 0, user_ids: ['BOB'] },
    { quorum: 1 },
    { quorum: 1, user_ids: [], user_group_ids: [] },
    { user_ids: ['BOB'] },
    { quorum: 1, user_ids: ['BOB'], expires_in_s: 30 * 86_400 + 1 },
  ])('has a quorum and somebody to ask: not %j', (approvals) => {
    const ids = approvals.user_ids?.map(() => bob.id);
    const asked = policyBody({ approvals: { ...approvals, ...(ids && { user_ids: ids }) } });
    expect(refusalOf(asked)).toBe('invalid_inputs');
  });

  it('is never more than there are others who could approve', () => {
    expect(refusalOf(policyBody({ approvals: quorum(2, bob) }))).toBe('resource_conflict');
    expect(refusalOf(policyBody({ approvals: quorum(2, alice, bob) }))).toBe('resource_conflict');
    expect(refusalOf(policyBody({ approvals: quorum(2, alice, bob, carol) }))).toBeUndefined();
  });

  it('leaves a way to change policies, also when an approver goes', () => {
    const [way] = [...ledger.state.adminPolicies.rows.values()].filter(
      ({ action }) => action === 'manage_admin_policies',
    );
    const target = `/v1/admin-policies/${way!.id}`;
    const body = policyBody({ action: 'manage_admin_policies', subjects: [ledger.admin] });
    const put = (approvals: object) =>
      ledger.send(ledger.admin, 'PUT', target, { ...body, approvals, version: 1 }).refusal;
    expect(put(quorum(1, ledger.admin))).toMatchObject({ refused: 'resource_conflict' });
    expect(put(quorum(1, bob))).toBeUndefined();
    const freeze = (user: LedgerUser) =>
      ledger.send(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${user.id}`).refusal;
    expect(freeze(bob)).toMatchObject({ refused: 'resource_conflict' });
    expect(freeze(carol)).toBeUndefined();
    expect(
      ledger.send(ledger.admin, 'DELETE', `/v1/users?user_ids=${bob.id}`).refusal,
    ).toMatchObject({ refused: 'resource_conflict' });
  });

  it('holds in the vaults of its scope alone', () => {
    const [one, other] = ['One', 'Other'].map((display_name) =>
      ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name }),
    ) as [string, string];
    const action = 'manage_vaults' as const;
    addPolicy({ action, approvals: quorum(1, bob), scope: { vault_ids: [one] } });
    addPolicy({ action, scope: { vault_ids: [other] } });
    const rename = (id: string) =>
      ask(alice, 'PUT', `/v1/vaults/${id}`, { display_name: `New ${id}` });
    expect(rename(other).outcome.subject?.resourceType).toBe('vault');
    expect(rename(one).outcome.subject?.resourceType).toBe('request');
  });
});

describe('unfreezing by a quorum', () => {
  beforeEach(() => {
    addPolicy({ action: 'unfreeze', approvals: quorum(1, bob) });
  });
  const frozen = () => ledger.state.systemFreeze !== null;

  it('is approved while the system is frozen', () => {
    ledger.must(ledger.admin, 'POST', '/v1/system/freeze');
    const { id } = ask(alice, 'POST', '/v1/system/unfreeze');
    expect(frozen()).toBe(true);
    approve(bob, id);
    expect(frozen()).toBe(false);
  });

  it('undoes no freeze that came after it was asked for', () => {
    const { id } = ask(alice, 'POST', '/v1/system/unfreeze');
    ledger.must(ledger.admin, 'POST', '/v1/system/freeze');
    expect(rowOf(id).status).toBe('failed');
    expect(approve(bob, id).refusal?.refused).toBe('resource_conflict');
    expect(frozen()).toBe(true);
  });

  it('never shows before two parties have judged the last approval', () => {
    ledger.must(ledger.admin, 'POST', '/v1/system/freeze');
    const { id } = ask(alice, 'POST', '/v1/system/unfreeze');
    const { digest } = rowOf(id);
    const evidence = ledger.evidenceOf(bob, 'POST', `/v1/requests/${id}/approve`, { digest });
    ledger.appendRow(encodeEvidenceEntry(ledger.now, evidence, ledger.keys));
    expect(ledger.view.pending).toHaveLength(1);
    expect(ledger.view.optimistic.systemFreeze).not.toBeNull();
  });
});

describe('a change that is delayed', () => {
  const DAY_S = 86_400;
  const dueIn = (id: string) => rowOf(id).dueAt! - ledger.now;

  /** Two parties' statements and nothing else. */
  function statements(): void {
    for (const party of [1, 2] as const) ledger.appendRow(ledger.countersignature(party));
  }

  it('takes effect once two parties say that its time has come', () => {
    addPolicy({ delay_s: DAY_S });
    const { id } = askVault();
    expect(rowOf(id).status).toBe('delayed');
    ledger.now += dueIn(id) - 1;
    statements();
    expect(vaults()).toEqual([]);
    ledger.now += 1;
    ledger.appendRow(ledger.countersignature(1));
    expect(vaults()).toEqual([]);
    const told = ledger.appendRow(ledger.countersignature(2));
    expect(vaults()).toEqual(['Treasury']);
    expect(told.at(-1)?.decided).toMatchObject([{ requestId: id }]);
    expect(rowOf(id).status).toBe('applied');
    statements();
    expect(vaults()).toEqual(['Treasury']);
  });

  it('is due to be countersigned again, once by each of two parties', () => {
    addPolicy({ delay_s: DAY_S });
    const { id } = askVault();
    const due = () =>
      nextCountersignature(
        ledger.view,
        { party: 1, newestRules: 3, spoken: ledger.view.countersignatures.get(1) },
        ledger.now,
      );
    expect(due()).toBeUndefined();
    ledger.now += dueIn(id) - 1;
    expect(due()).toBeUndefined();
    ledger.now += 1;
    expect(due()).toMatchObject({ party: 1, at: ledger.now });
    ledger.appendRow(ledger.countersignature(1));
    expect(due()).toBeUndefined();
    // the other party comes an hour late: its statement agrees with none that was given
    ledger.now += HOUR;
    ledger.appendRow(ledger.countersignature(2));
    expect(due()).toMatchObject({ at: ledger.now });
    ledger.appendRow(ledger.countersignature(1));
    expect(vaults()).toEqual(['Treasury']);
    expect(due()).toBeUndefined();
  });

  it('waits after its approvals, which must count still when its time comes', () => {
    addPolicy({ delay_s: DAY_S, approvals: quorum(1, bob) });
    const one = askVault('One').id;
    approve(bob, one);
    expect(rowOf(one).status).toBe('delayed');
    ledger.now += dueIn(one);
    statements();
    expect(vaults()).toEqual(['One']);
    const two = askVault('Two').id;
    approve(bob, two);
    ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${bob.id}`);
    ledger.now += dueIn(two);
    statements();
    expect(rowOf(two)).toMatchObject({ status: 'failed', failure: 'forbidden' });
    expect(vaults()).toEqual(['One']);
  });

  it('is cancelled by whoever may freeze, or by its requester, and by nobody else', () => {
    addPolicy({ delay_s: DAY_S });
    const guard = ledger.addMachine('guard', ['freeze']);
    const viewer = ledger.addMachine('viewer', ['view_system_resources']);
    const [one, two] = [askVault('One').id, askVault('Two').id];
    expect(decide(viewer, one, 'cancel').refusal).toMatchObject({ refused: 'forbidden' });
    expect(decide(bob, one, 'cancel').refusal).toMatchObject({ refused: 'resource_not_found' });
    expect(decide(guard, one, 'cancel').refusal).toBeUndefined();
    expect(decide(alice, two, 'cancel').refusal).toBeUndefined();
    ledger.now += 2 * DAY_S * 1_000;
    statements();
    expect(vaults()).toEqual([]);
  });

  it('does not hold up what only takes away', () => {
    addPolicy({ action: 'manage_users', delay_s: DAY_S });
    const { outcome } = ask(alice, 'DELETE', `/v1/users?user_ids=${dora.id}`);
    expect(outcome.subject?.resourceType).toBe('user');
  });

  it('waits on while the system is frozen', () => {
    addPolicy({ delay_s: DAY_S });
    const { id } = askVault();
    ledger.must(ledger.admin, 'POST', '/v1/system/freeze');
    ledger.now += dueIn(id) + HOUR;
    statements();
    expect(rowOf(id).status).toBe('delayed');
    ledger.must(ledger.admin, 'POST', '/v1/system/unfreeze');
    expect(rowOf(id).status).toBe('applied');
  });
});

describe('the digest that is approved', () => {
  it('is computed from what approvers are shown, and from nothing secret', () => {
    addPolicy({ approvals: quorum(1, bob) });
    const { id, evidence } = askVault();
    const { call, digest, createdBy } = rowOf(id);
    const shown = {
      transcript: Buffer.from(call!.transcript, 'hex'),
      requester: createdBy,
      method: call!.method,
      path: call!.path,
      query: call!.query,
      body: Buffer.from(call!.body, 'base64'),
    };
    expect(toHex(approvalDigest(shown))).toBe(digest);
    expect(call!.transcript).toBe(toHex(digestOf(evidence)));
    const body = Buffer.from('{"display_name":"Other"}');
    expect(toHex(approvalDigest({ ...shown, body }))).not.toBe(digest);
  });
});
