/** Signing rules over venue requests, as a gateway takes and refuses them. */
import { answerOf } from '@countersign/vault/operations/answers.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;
let groupId: string;

beforeEach(() => {
  ledger = createLedgerBuilder();
  groupId = ledger.must(ledger.admin, 'POST', '/v1/security-groups', { display_name: 'Keys' });
});

/** An active Ed25519 key for the venue. */
function makeKey(venueId?: string): string {
  const keyId = ledger.must(ledger.admin, 'POST', '/v1/keys', {
    type: 'ed25519',
    display_name: `Key for ${venueId}`,
    ...(venueId !== undefined && { venue_id: venueId }),
  });
  for (const party of [1, 2, 3] as const) ledger.attest(party, keyId, keyStory(keyId));
  return keyId;
}

function join(keyId: string) {
  return ledger.send(ledger.admin, 'PUT', `/v1/security-groups/${groupId}/members/${keyId}`);
}

/** Whom every rule of these tests is for, as the state keeps it: a rule of any version may name users. */
function administrator() {
  return { userIds: [ledger.admin.id], userGroupIds: [] };
}

function post(...conditions: readonly object[]) {
  return ledger.send(ledger.admin, 'POST', '/v1/signing-policies', {
    display_name: 'Rules',
    security_group_id: groupId,
    rules: conditions.map((when, index) => ({
      display_name: `Rule ${index}`,
      when: { initiators: { user_ids: [ledger.admin.id] }, ...when },
      then: 'allow',
    })),
  });
}

function rulesOf(...conditions: readonly object[]) {
  const { refusal, subject } = post(...conditions);
  if (refusal !== undefined) throw new Error(refusal.message);
  return ledger.state.signingPolicies.rows.get(subject!.resourceIds[0]!)!.rules;
}

const invalid = (message: RegExp) => ({
  refused: 'invalid_inputs',
  message: expect.stringMatching(message) as unknown,
});

describe('a rule over venue requests', () => {
  it('is kept as it was stated, each value once', () => {
    const [rule] = rulesOf({
      venue_ids: ['kraken', 'okx', 'kraken'],
      operation_classes: ['trade', 'read', 'trade'],
      endpoints: ['POST /api/v5/trade/order'],
      symbols: ['BTC-USDT', 'BTC-USDT'],
      sides: ['sell'],
      amount: { min: '0.10', max: '1' },
    });
    expect(rule?.when).toEqual({
      initiators: administrator(),
      venueIds: ['kraken', 'okx'],
      operationClasses: ['trade', 'read'],
      endpoints: ['POST /api/v5/trade/order'],
      symbols: ['BTC-USDT'],
      sides: ['sell'],
      amount: { min: '0.10', max: '1' },
    });
  });

  it('bounds an amount in the quote currency, and contracts beside symbols alone', () => {
    const bounded = {
      symbols: ['BTC-USDT-SWAP'],
      quote_amount: { max: '9' },
      contracts: { min: '1' },
    };
    expect(rulesOf(bounded)[0]?.when).toEqual({
      initiators: administrator(),
      symbols: ['BTC-USDT-SWAP'],
      quoteAmount: { max: '9' },
      contracts: { min: '1' },
    });
    expect(post({ contracts: { max: '1' } }).refusal).toEqual(
      invalid(/contracts: .*beside symbols/),
    );
    expect(post({ symbols: ['A'], contracts: {} }).refusal).toEqual(invalid(/min or max/));
    const reversed = { quote_amount: { min: '2', max: '1' } };
    expect(post(reversed).refusal).toEqual(invalid(/min is above max/));
  });

  it('is shown as it was stated', () => {
    const when = {
      initiators: 'anyone',
      venue_ids: ['okx'],
      operation_classes: ['cancel', 'trade'],
      endpoints: ['POST /api/v5/trade/order'],
      symbols: ['BTC-USDT'],
      sides: ['buy', 'sell'],
      amount: { max: '1' },
      quote_amount: { max: '2' },
      contracts: { min: '1', max: '3' },
    };
    const { subject, operation } = post(when);
    const context = { secret: () => Buffer.alloc(32), catalogues: CATALOGUES };
    expect(answerOf(operation!, ledger.state, subject!, context)).toMatchObject({
      rules: [{ when, then: 'allow', enabled: true }],
    });
  });

  it.each<[object, RegExp]>([
    [{ venue_ids: ['venue_a'] }, /unknown venue/],
    [{ venue_ids: [] }, /venue_ids/],
    [{ operation_classes: ['steal'] }, /operation_classes/],
    [{ operation_classes: [] }, /operation_classes/],
    [{ symbols: [''] }, /symbols/],
    [{ symbols: ['BTC\nUSDT'] }, /symbols/],
    [{ endpoints: ['POST  /order'] }, /endpoints/],
    [{ sides: ['hold'] }, /sides/],
    [{ amount: {} }, /min or max/],
    [{ amount: { min: '2', max: '1.99' } }, /can never match: min is above max/],
    [{ amount: { max: '1e3' } }, /decimal/],
    [{ networks: ['solana-mainnet'], symbols: ['A'] }, /rules\.0: can never match: .*no network/],
    [{ operations: ['raw_sign'], operation_classes: ['trade'] }, /rules\.0: can never match/],
    [{ operation_classes: ['session'], amount: { max: '1' } }, /a session carries no amount/],
  ])('%j is refused', (when, message) => {
    expect(post(when).refusal).toMatchObject(invalid(message));
    expect(ledger.state.signingPolicies.rows.size).toBe(0);
  });

  it('behind one that decides all that it would is refused, by its place', () => {
    const wide = { operation_classes: ['trade'], amount: { max: '10' } };
    const narrow = { operation_classes: ['trade'], amount: { max: '9.50' } };
    expect(post(wide, narrow).refusal).toMatchObject(invalid(/^rules\.1: .*"Rule 0" before it/));
    expect(post(narrow, wide).refusal).toBeUndefined();
    // a symbol that cannot be told decides by itself, whatever the amount: this rule is not dead
    expect(post(wide, { ...narrow, symbols: ['A'] }).refusal).toBeUndefined();
  });
});

describe('a condition that a venue does not bind', () => {
  const symbols = { symbols: ['BTC-USD'] };

  it('is refused for a venue that the rule names', () => {
    expect(post({ ...symbols, venue_ids: ['coinbase_advanced'] }).refusal).toMatchObject(
      invalid(/rules\.0: symbols: /),
    );
    expect(post({ ...symbols, venue_ids: ['okx', 'coinbase_advanced'] }).refusal).toBeDefined();
    expect(post({ ...symbols, venue_ids: ['okx'] }).refusal).toBeUndefined();
  });

  it("is refused for the venue of one of the group's keys, when the rule names none", () => {
    expect(join(makeKey()).refusal).toBeUndefined();
    expect(join(makeKey('coinbase_advanced')).refusal).toBeUndefined();
    expect(post(symbols).refusal).toMatchObject(invalid(/symbols/));
    expect(post({ ...symbols, venue_ids: ['okx'] }).refusal).toBeUndefined();
  });

  it('is refused when a policy is changed, too', () => {
    join(makeKey('coinbase_advanced'));
    const policy = post({ operation_classes: ['trade'] }).subject!.resourceIds[0]!;
    const change = ledger.send(ledger.admin, 'PUT', `/v1/signing-policies/${policy}`, {
      display_name: 'Rules',
      rules: [{ display_name: 'Rule', when: symbols, then: 'deny' }],
      version: 1,
    });
    expect(change.refusal).toMatchObject(invalid(/symbols/));
  });

  it('keeps a key of that venue out of a group that has such a rule', () => {
    const [there, elsewhere, nowhere] = [
      makeKey('coinbase_advanced'),
      makeKey('binance'),
      makeKey(),
    ];
    expect(post(symbols).refusal).toBeUndefined();
    const before = ledger.state.securityGroups;
    const patch = () =>
      ledger.send(ledger.admin, 'PATCH', `/v1/security-groups/${groupId}/members`, {
        add: [elsewhere, there].map((id) => ({ member_id: id, member_type: 'key' })),
      });
    for (const act of [() => join(there), patch]) {
      expect(act().refusal).toMatchObject(invalid(/members: the rule "Rule 0": symbols/));
    }
    expect(ledger.state.securityGroups).toBe(before);
    expect(join(elsewhere).refusal).toBeUndefined();
    expect(join(nowhere).refusal).toBeUndefined();
  });

  it('does not when the rule is for other venues', () => {
    expect(post({ ...symbols, venue_ids: ['okx'] }).refusal).toBeUndefined();
    expect(join(makeKey('coinbase_advanced')).refusal).toBeUndefined();
  });
});
