/** A draft of signing policies over requests that are on record: what it makes of each of them. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import {
  openBacktest,
  replayRequest,
  type Backtest,
  type RecordedRequest,
  type Replayed,
} from '@countersign/vault/operations/backtest.js';
import type { Draft } from '@countersign/vault/operations/draft-policies.js';
import {
  createLedgerBuilder,
  START,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';

const KEY = { type: 'ed25519', display_name: 'Key' };
const RAW = { operations: ['raw_sign'], initiators: 'anyone' };
const NO_RULE = 'no signing policy rule allows this request';

let ledger: LedgerBuilder;
let bot: LedgerUser;
let keyId: string;
let labelledId: string;
let strangerId: string;
let groupId: string;

beforeAll(() => {
  ledger = createLedgerBuilder();
  const { admin } = ledger;
  bot = ledger.addMachine('bot');
  const newKey = (name: string, fields = {}) => {
    const body = { ...KEY, display_name: name, ...fields };
    const id = ledger.must(admin, 'POST', '/v1/keys', body);
    for (const party of [1, 2, 3] as const) ledger.attest(party, id);
    return id;
  };
  keyId = newKey('Named');
  labelledId = newKey('Labelled', { labels: { desk: 'one' } });
  strangerId = newKey('Of no group');
  groupId = ledger.must(admin, 'POST', '/v1/security-groups', {
    display_name: 'Desk',
    members: [{ member_id: keyId, member_type: 'key' }],
    selector: { types: ['key'], labels: { desk: 'one' } },
  });
});

const rule = (when: object, then: string | object = 'allow') => ({ display_name: 'x', when, then });

function open(...rules: object[]): Backtest {
  const group = ledger.state.securityGroups.rows.get(groupId)!;
  const opened = openBacktest(ledger.state, group, [rules] as unknown as Draft, CATALOGUES);
  if (isRefusal(opened)) throw new Error(opened.message);
  return opened;
}

const evidenceOf = (id = keyId, by = bot): Evidence =>
  ledger.evidenceOf(by, 'POST', `/v1/keys/${id}/raw-sign`, { message: 'aGk=' });

const recorded = (fields: Partial<RecordedRequest> = {}): RecordedRequest => ({
  requestId: 'request',
  action: 'raw-sign-with-key',
  userId: bot.id,
  keyId: null,
  receivedAt: START,
  isAllowed: true,
  reason: null,
  policy: undefined,
  evidence: evidenceOf(),
  ...fields,
});
const denied = (reason = NO_RULE, fields: Partial<RecordedRequest> = {}) =>
  recorded({ isAllowed: false, reason, ...fields });

const changeOf = (replayed: Replayed | undefined) => replayed?.change;

describe('a recorded request', () => {
  it('is the same, newly allowed or newly denied, by the rule at its place', () => {
    const tried = open(rule({ networks: ['solana-mainnet'] }, 'deny'), rule(RAW));
    expect(replayRequest(tried, recorded())).toMatchObject({
      change: 'same',
      operation: 'raw_sign',
      target: { key: { id: keyId } },
      decision: { outcome: 'allow' },
    });
    const allowed = replayRequest(tried, denied())!;
    expect(allowed.change).toBe('newly_allowed');
    expect(tried.places.get(allowed.decision!.policy!.ruleId!)).toBe('policies.0.rules.1');
    const closed = open(rule({ initiators: { user_ids: [ledger.admin.id] } }));
    expect(changeOf(replayRequest(closed, recorded()))).toBe('newly_denied');
    expect(changeOf(replayRequest(closed, denied()))).toBe('same');
  });

  it('needs approvals where a rule of the draft asks for them, whatever came of it', () => {
    const approvals = { quorum: 1, user_ids: [ledger.admin.id] };
    const asking = open(rule(RAW, { require_approvals: approvals }));
    expect(changeOf(replayRequest(asking, recorded()))).toBe('needs_approvals');
    expect(changeOf(replayRequest(asking, denied()))).toBe('needs_approvals');
  });

  it('that was approved is the same under the rule that asked, and needs approvals where others are asked', () => {
    const approvals = { quorum: 1, user_ids: [ledger.admin.id, bot.id] };
    const asking = (more: object = {}, then: object = approvals) => ({
      ...rule({ ...RAW, ...more }, { require_approvals: then }),
    });
    const policyId = ledger.must(ledger.admin, 'POST', '/v1/signing-policies', {
      display_name: 'asks',
      security_group_id: groupId,
      rules: [asking()],
    });
    const { rules, version } = ledger.state.signingPolicies.rows.get(policyId)!;
    const ruleId = rules[0]!.id;
    const approved = recorded({ policy: { id: policyId, version, ruleId } });
    const same = (draft: object) =>
      changeOf(replayRequest(open({ id: ruleId, ...draft }), approved));
    expect(same(asking())).toBe('same');
    expect(same({ ...asking(), display_name: 'renamed' })).toBe('same');
    expect(same(asking({ initiators: { user_ids: [bot.id] } }))).toBe('same');
    const turned = { quorum: 1, user_ids: [bot.id, ledger.admin.id] };
    expect(same(asking({}, turned))).toBe('same');
    expect(same(asking({}, { ...approvals, quorum: 2 }))).toBe('needs_approvals');
    expect(same(asking({}, { quorum: 1, user_ids: [bot.id] }))).toBe('needs_approvals');
    expect(changeOf(replayRequest(open(asking()), approved))).toBe('needs_approvals');
    // it waited, and was refused in the end
    const refused = denied(NO_RULE, { policy: approved.policy });
    const tried = open({ id: ruleId, ...asking() });
    expect(changeOf(replayRequest(tried, refused))).toBe('needs_approvals');
    // a rule that allowed it by itself asks now
    const unknown = recorded({ policy: { id: policyId, version: version + 1, ruleId } });
    expect(changeOf(replayRequest(tried, unknown))).toBe('needs_approvals');
  });

  it('is judged at its own time', () => {
    const inWindow = open(rule({ ...RAW, time: { from: '12:00', to: '13:00', time_zone: 'UTC' } }));
    expect(changeOf(replayRequest(inWindow, recorded()))).toBe('same');
    const later = recorded({ receivedAt: START + 3_600_000 });
    expect(changeOf(replayRequest(inWindow, later))).toBe('newly_denied');
  });

  it('is judged for who asked, as they are now', () => {
    const tried = open(rule({ ...RAW, initiators: { user_ids: [bot.id] } }));
    expect(changeOf(replayRequest(tried, recorded()))).toBe('same');
    const others = recorded({ userId: ledger.admin.id });
    expect(changeOf(replayRequest(tried, others))).toBe('newly_denied');
  });

  it('is of the group by name or by label, or not tried at all', () => {
    const tried = open(rule(RAW));
    expect(changeOf(replayRequest(tried, recorded({ evidence: evidenceOf(labelledId) })))).toBe(
      'same',
    );
    expect(replayRequest(tried, recorded({ evidence: evidenceOf(strangerId) }))).toBeUndefined();
  });

  it('that passes by a rule with a limit takes it to have room, and says so', () => {
    const velocity = { limit: '1', unit: 'count', window_s: 60, per: 'key' };
    const replayed = replayRequest(open(rule({ ...RAW, velocity })), denied());
    expect(replayed).toMatchObject({ change: 'newly_allowed', decision: { claim: {} } });
  });
});

describe('nobody can tell of a request', () => {
  const becauseOf = (request: RecordedRequest, tried = open(rule(RAW))) => {
    const replayed = replayRequest(tried, request);
    expect(changeOf(replayed)).toBe('cannot_say');
    expect(replayed!.decision).toBeUndefined();
    return replayed!.because;
  };

  it.each(['the key is frozen', 'the key is disabled', 'transaction: undecodable: x'])(
    'that was refused because %s',
    (reason) => {
      expect(becauseOf(denied(reason))).toContain(reason);
    },
  );

  it.each([
    'denied by rule a of signing policy b, version 1',
    'rule a of signing policy b, version 1 cannot be evaluated: amount: x',
    `${NO_RULE}; rule a of signing policy b, version 1: velocity`,
  ])('but of one with the reason of a rule: %s', (reason) => {
    expect(changeOf(replayRequest(open(rule(RAW)), denied(reason)))).toBe('newly_allowed');
  });

  it('whose user was deleted', () => {
    expect(becauseOf(recorded({ userId: groupId }))).toContain('deleted');
  });

  it('that is not on record, where the record names a key of the group', () => {
    const lost = (id: string | null) => denied(NO_RULE, { evidence: 'it is lost', keyId: id });
    expect(becauseOf(lost(keyId))).toBe('it is lost');
    expect(replayRequest(open(rule(RAW)), lost(strangerId))).toBeUndefined();
    expect(replayRequest(open(rule(RAW)), lost(null))).toBeUndefined();
  });

  it('that would be refused now for its form', () => {
    const evidence = { ...evidenceOf(), body: Buffer.from('{"message":"not base64!"}') };
    expect(becauseOf(recorded({ evidence }))).toContain('would be refused now');
  });

  it('whose worth a rule asks for: nobody keeps the prices of the past', () => {
    const { admin } = ledger;
    const { version } = ledger.state.settings;
    const settings = { version, usd_value_conditions_enabled: true };
    ledger.must(admin, 'PATCH', '/v1/system-settings', settings);
    const body = { ...KEY, venue_id: 'binance', venue_api_key: 'key', labels: { desk: 'one' } };
    const id = ledger.must(admin, 'POST', '/v1/keys', body);
    for (const party of [1, 2, 3] as const) ledger.attest(party, id);
    const query = 'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1';
    const order = { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
    const evidence = ledger.evidenceOf(bot, 'POST', `/v1/keys/${id}/sign`, {
      venue_request: order,
    });
    const asked = recorded({ evidence, action: 'sign-with-key' });
    const trading = { initiators: 'anyone', operation_classes: ['trade'] };
    const tried = open(rule({ ...trading, usd_value: { max: '1' } }), rule(trading));
    expect(becauseOf(asked, tried)).toContain('US dollars');
    expect(changeOf(replayRequest(open(rule(trading)), asked))).toBe('same');
  });

  it('whose wallet was removed', () => {
    const path = `/v1/vaults/${groupId}/wallets/abc/raw-sign`;
    const evidence = { ...evidenceOf(), path };
    expect(becauseOf(recorded({ evidence }))).toContain('removed');
  });
});

it('a draft that could not be written is refused by its place', () => {
  const group = ledger.state.securityGroups.rows.get(groupId)!;
  const draft = [[rule({ initiators: { user_ids: [groupId] } })]] as unknown as Draft;
  expect(openBacktest(ledger.state, group, draft, CATALOGUES)).toMatchObject({
    refused: 'invalid_inputs',
    message: expect.stringContaining('policies.0.rules.0'),
  });
});
