/** Signatures that wait for approvals, as the ledger keeps them: who may approve, under which rule, and when it is over. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { MAX_HELD_BY_ONE } from '@countersign/vault/ledger/waiting-rows.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { nextCountersignature } from '@countersign/vault/ledger/next-countersignature.js';
import { RELEASE_LIFE_MS } from '@countersign/vault/policy/approvals.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { PendingRequest } from '@countersign/vault/state/state.js';
import { pendingRequestView } from '@countersign/vault/views/request-view.js';
import { ledgerAuditRows } from '../../gateway/src/audit/ledger-audit.ts';
import { eventsOfOutcome } from '../../notifier/src/events/ledger-events.ts';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';
import { makeVenueKey } from '../support/venue-reading-key.ts';

const HOUR = 3_600_000;

let ledger: LedgerBuilder;
let bot: LedgerUser;
let ann: LedgerUser;
let ben: LedgerUser;
let keyId: string;
let small: string;
let large: string;

/** One for the small ones, two for the large ones: which is which, the fold cannot tell. */
const rules = () => {
  const asking = (quorum: number, amount: object) => ({
    display_name: 'ask',
    when: {
      ...{ operation_classes: ['withdraw'], destinations: ['bc1qours'], amount },
      initiators: { user_ids: [bot.id] },
    },
    then: { require_approvals: { quorum, user_ids: [ann.id, ben.id], expires_in_s: 3_600 } },
  });
  return [asking(1, { max: '1' }), asking(2, { max: '9' })];
};

beforeEach(() => {
  ledger = createLedgerBuilder();
  [bot, ann, ben] = ['bot', 'ann', 'ben'].map((name) => ledger.addMachine(name, [])) as [
    LedgerUser,
    LedgerUser,
    LedgerUser,
  ];
  const made = makeVenueKey(ledger, 'binance', rules());
  keyId = made.keyId;
  const policy = ledger.state.signingPolicies.rows.get(made.policyId)!;
  [small, large] = policy.rules.map(({ id }) => id) as [string, string];
});

/** Its body is nothing that a venue could be sent: the fold does not look. */
function ask(user = bot, key = keyId) {
  const evidence = ledger.evidenceOf(user, 'POST', `/v1/keys/${key}/sign`, { order: 'whatever' });
  const outcome = ledger.appendEvidence(evidence);
  return { outcome, id: requestIdOf(digestOf(evidence)) };
}

const rowOf = (id: string): PendingRequest => ledger.state.pendingRequests.rows.get(id)!;

const decide = (user: LedgerUser, id: string, what: string, body: object = {}) =>
  ledger.send(user, 'POST', `/v1/requests/${id}/${what}`, body);

const approve = (user: LedgerUser, id: string, ruleIds?: readonly string[]) =>
  decide(user, id, 'approve', {
    digest: rowOf(id).digest,
    ...(ruleIds && { rule_ids: ruleIds }),
  });

const typesOf = (outcome: Parameters<typeof eventsOfOutcome>[0]) =>
  eventsOfOutcome(outcome).map(({ type, data }) => [type, data['request_id']]);

describe('a signature that waits', () => {
  it('is found in the audit log by its key, and is not told as done', () => {
    const { outcome, id } = ask();
    const about = { type: 'request', ids: [id], key_ids: [keyId] };
    expect(ledgerEntryView(outcome)).toMatchObject({
      resource: about,
      details: { waits_for: 'approvals' },
    });
    const filter = { key_ids: [keyId], actions: [outcome.operation!.id] };
    const found = ledgerAuditRows(ledger.outcomes, filter, Infinity, 9);
    expect(found.map(({ entry }) => entry.request_id)).toEqual([id]);
    const given = ledgerEntryView(approve(ann, id, [small]));
    expect(given).toMatchObject({ resource: about });
    expect(given.details).not.toHaveProperty('waits_for');
  });

  it('is held where a rule for that key asks for approvals of its caller, and nowhere else', () => {
    const { outcome, id } = ask();
    expect(outcome).toMatchObject({ refusal: undefined, subject: { resourceIds: [id] } });
    expect(rowOf(id)).toMatchObject({ status: 'waiting', createdBy: bot.id, actions: [] });
    expect(ask(ann).outcome.refusal).toMatchObject({ refused: 'forbidden' });
    expect(ask(bot, id).outcome.refusal).toMatchObject({ refused: 'resource_not_found' });
  });

  it('is released under the rule that is named, once, and stays so', () => {
    const { id } = ask();
    const released = approve(ann, id, [small]);
    expect(rowOf(id)).toMatchObject({ status: 'released', releasedAt: released.at });
    expect(approve(ben, id, [large]).refusal).toMatchObject({ refused: 'resource_conflict' });
    for (const what of ['reject', 'cancel']) {
      const by = what === 'cancel' ? bot : ben;
      expect(decide(by, id, what).refusal).toMatchObject({ refused: 'resource_conflict' });
    }
    expect(rowOf(id).releasedAt).toBe(released.at);
  });

  it('needs every rule that could ask where nobody names one', () => {
    const { id } = ask();
    approve(ann, id);
    expect(rowOf(id).status).toBe('waiting');
    approve(ben, id);
    expect(rowOf(id).status).toBe('released');
  });

  it('counts an approval for the rules that it names alone, and lets its giver name others', () => {
    const { id } = ask();
    expect(approve(ann, id, ['11111111-1111-8111-9111-111111111111']).refusal).toMatchObject({
      refused: 'invalid_inputs',
    });
    approve(ann, id, [large]);
    expect(approve(ann, id, [large]).refusal).toMatchObject({ refused: 'resource_conflict' });
    expect(rowOf(id)).toMatchObject({ status: 'waiting', given: [{ userId: ann.id }] });
    approve(ann, id, [small]);
    expect(rowOf(id)).toMatchObject({ status: 'released', given: [{ ruleIds: [small] }] });
  });

  it('is bounded for each requester, and apart from changes of the vault', () => {
    for (let count = 0; count < MAX_HELD_BY_ONE; count++) {
      expect(ask().outcome.refusal).toBeUndefined();
    }
    expect(ask().outcome.refusal).toMatchObject({ refused: 'resource_conflict' });
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      ...{ display_name: 'x', action: 'create_vaults', effect: 'allow' },
      subjects: { user_ids: [bot.id] },
      approvals: { quorum: 1, user_ids: [ann.id] },
    });
    const vault = ledger.send(bot, 'POST', '/v1/vaults', { display_name: 'Held' });
    expect(vault).toMatchObject({ refusal: undefined, subject: { resourceType: 'request' } });
  });

  it('keeps its approvers: they are not deleted, re-keyed or regrouped by who may only manage users', () => {
    const manager = ledger.addMachine('manager', ['manage_users', 'manage_user_groups']);
    const remove = ledger.send(manager, 'DELETE', `/v1/users?user_ids=${ann.id}`);
    expect(remove.refusal).toMatchObject({ refused: 'resource_conflict' });
    const rotate = { rotate_api_key: true };
    const path = `/v1/users/${ann.id}`;
    expect(ledger.send(manager, 'PUT', path, rotate).refusal).toMatchObject({
      refused: 'forbidden',
    });
    expect(ledger.send(ledger.admin, 'PUT', path, rotate).refusal).toBeUndefined();
  });

  it('cannot be asked of more approvers than there are', () => {
    const [one] = rules();
    const then = { require_approvals: { quorum: 3, user_ids: [ann.id, ben.id] } };
    const [groupId] = ledger.state.securityGroups.rows.keys();
    const body = { display_name: 'x', security_group_id: groupId, rules: [{ ...one, then }] };
    expect(ledger.send(ledger.admin, 'POST', '/v1/signing-policies', body).refusal).toMatchObject({
      refused: 'invalid_inputs',
    });
  });
});

describe('the end of one that waits', () => {
  /** Both primary replicas say again what the time is, as they do when something is over. */
  function speak() {
    const view = ledger.view;
    const due = ([1, 2] as const).map((party) => {
      const spoken = view.countersignatures.get(party);
      return nextCountersignature(view, { party, newestRules: 3, spoken }, ledger.now);
    });
    expect(due.every((statement) => statement !== undefined)).toBe(true);
    const rows = ([1, 2] as const).flatMap((party) =>
      ledger.appendRow(ledger.countersignature(party)),
    );
    return rows.find(({ changes }) => changes !== undefined)!;
  }

  it('comes by itself when its approvals are too late, and is told of', () => {
    const { id, outcome } = ask();
    expect(typesOf(outcome)).toEqual([['request.awaiting_approval', id]]);
    ledger.now += HOUR;
    expect(typesOf(speak())).toEqual([['request.expired', id]]);
    expect(rowOf(id)).toMatchObject({ status: 'expired', call: null });
    expect(
      nextCountersignature(
        ledger.view,
        { party: 1, newestRules: 3, spoken: undefined },
        ledger.now,
      ),
    ).toBeUndefined();
  });

  it('comes a minute after its release, which lets go of what it asked for', () => {
    const { id } = ask();
    const last = approve(ann, id, [small]);
    expect(typesOf(last)).toContainEqual(['request.approved', id]);
    const { releasedAt } = rowOf(id);
    expect(pendingRequestView(ledger.state, rowOf(id), releasedAt!)).toMatchObject({
      status: 'processing',
    });
    ledger.now = releasedAt! + RELEASE_LIFE_MS;
    expect(pendingRequestView(ledger.state, rowOf(id), ledger.now)).toMatchObject({
      status: 'expired',
    });
    speak();
    expect(rowOf(id)).toMatchObject({ status: 'released', call: null, releasedAt });
    expect([...ledger.state.pendingRequests.indexes.open]).toEqual([]);
  });

  it('is told of where somebody brings it about', () => {
    const [one, other] = [ask().id, ask().id];
    expect(typesOf(decide(ann, one, 'reject'))).toContainEqual(['request.rejected', one]);
    expect(typesOf(decide(bot, other, 'cancel'))).toContainEqual(['request.cancelled', other]);
  });

  it('is the same at every node', () => {
    approve(ann, ask().id, [small]);
    ask();
    ledger.now += HOUR;
    speak();
    const fold = createFold({ keys: ledger.keys });
    fold.advance(ledger.rows);
    expect(stateHash(fold.view.state)).toBe(stateHash(ledger.state));
  });
});
