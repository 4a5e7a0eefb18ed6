/** Signing rules on values in USD, as a gateway takes and refuses them. */
import { answerOf } from '@countersign/vault/operations/answers.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;
let groupId: string;

const worth = { usd_value: { max: '1000' } };
const daily = { velocity: { limit: '1000', unit: 'usd', window_s: 86_400, per: 'initiator' } };

beforeEach(() => {
  ledger = createLedgerBuilder();
  groupId = ledger.must(ledger.admin, 'POST', '/v1/security-groups', { display_name: 'Keys' });
});

function set(enabled: boolean) {
  const { version } = ledger.state.settings;
  const body = { version, usd_value_conditions_enabled: enabled };
  return ledger.send(ledger.admin, 'PATCH', '/v1/system-settings', body).refusal;
}

const policyOf = (conditions: readonly object[], then = 'allow') => ({
  display_name: 'Rules',
  security_group_id: groupId,
  rules: conditions.map((when, index) => ({
    display_name: `Rule ${index}`,
    when: { initiators: { user_ids: [ledger.admin.id] }, ...when },
    then,
  })),
});
const post = (...conditions: readonly object[]) =>
  ledger.send(ledger.admin, 'POST', '/v1/signing-policies', policyOf(conditions));

function addKeyOf(venueId: string): void {
  const body = { type: 'ed25519', display_name: venueId, venue_id: venueId };
  const keyId = ledger.must(ledger.admin, 'POST', '/v1/keys', body);
  for (const party of [1, 2, 3] as const) ledger.attest(party, keyId, keyStory(keyId));
  ledger.must(ledger.admin, 'PUT', `/v1/security-groups/${groupId}/members/${keyId}`);
}

describe('while values in USD are disabled', () => {
  it.each([worth, daily])('nothing states one: %j', (when) => {
    expect(post(when).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringMatching(/USD value conditions are disabled/) as unknown,
    });
    expect(set(true)).toBeUndefined();
    expect(post(when).refusal).toBeUndefined();
  });

  it.each([worth, daily])('nothing that was written before states one: %j', (when) => {
    set(true);
    const policyId = post(when).subject!.resourceIds[0]!;
    expect(set(false)).toMatchObject({
      refused: 'resource_conflict',
      message: `USD value conditions are in use by ${policyId}`,
    });
    ledger.must(ledger.admin, 'DELETE', `/v1/signing-policies/${policyId}`);
    expect(set(false)).toBeUndefined();
  });
});

describe('a rule on a value in USD', () => {
  beforeEach(() => void set(true));

  it('is shown as it was stated', () => {
    const when = {
      initiators: 'anyone',
      operation_classes: ['trade'],
      usd_value: { min: '10', max: '1000.50' },
      velocity: { limit: '5000', unit: 'usd', window_s: 3_600, per: 'key' },
    };
    const { subject, operation } = post(when);
    const context = { secret: () => Buffer.alloc(32), catalogues: CATALOGUES };
    expect(answerOf(operation!, ledger.state, subject!, context)).toMatchObject({
      rules: [{ when }],
    });
  });

  it.each<[string, object, RegExp]>([
    ['without bounds', { usd_value: {} }, /min or max/],
    ['with reversed bounds', { usd_value: { min: '2', max: '1' } }, /min is above max/],
    ['with a negative bound', { usd_value: { max: '-5' } }, /decimal/],
    ['with a cap of zero', { usd_value: { max: '0' } }, /a cap of zero/],
    ['on raw signing', { ...worth, operations: ['raw_sign'] }, /raw_sign/],
    [
      'on what only reads',
      { ...worth, operation_classes: ['read', 'cancel'] },
      /no request of these/,
    ],
    [
      'that counts what only reads',
      { ...daily, operation_classes: ['read'] },
      /^rules.0: velocity: /,
    ],
    ['at a venue of contracts', { ...worth, venue_ids: ['kraken_futures'] }, /cannot be valued/],
    [
      'where nothing of it is signed',
      { ...worth, venue_ids: ['coinbase_advanced'] },
      /neither query nor body/,
    ],
    [
      'that counts where nothing of it is signed',
      { ...daily, venue_ids: ['coinbase_advanced'] },
      /neither query nor body/,
    ],
  ])('is refused %s', (_what, when, message) => {
    expect(post(when).refusal).toEqual({
      refused: 'invalid_inputs',
      message: expect.stringMatching(message) as unknown,
    });
  });

  it('is refused where no key of the group could be valued, and taken where one can', () => {
    const trade = { ...worth, operation_classes: ['trade'] };
    addKeyOf('venue_a');
    // a transaction of a wallet may still be meant
    expect(post(worth).refusal).toBeUndefined();
    expect(post(trade).refusal?.message).toMatch(/venue_a cannot be valued/);
    addKeyOf('binance');
    expect(post(trade).refusal).toBeUndefined();
  });

  it('bounds what leaves, by its upper bound alone', () => {
    for (const name of ['withdraw', 'transfer']) {
      const classes = { operation_classes: [name] };
      expect(post({ ...classes, ...worth }).refusal).toBeUndefined();
      expect(post({ ...classes, usd_value: { min: '1' } }).refusal?.message).toMatch(
        /without a bound: state .*usd_value\.max/,
      );
      expect(post({ ...classes, ...daily }).refusal?.message).toMatch(/without a bound/);
    }
  });

  it('hides a narrower one behind it, and no other', () => {
    expect(post(worth, { usd_value: { max: '999' } }).refusal?.message).toMatch(/can never match/);
    expect(post(worth, { usd_value: { max: '1001' } }).refusal).toBeUndefined();
    expect(post(worth, {}).refusal).toBeUndefined();
    expect(post({}, worth).refusal?.message).toMatch(/can never match/);
    expect(post(daily, worth).refusal).toBeUndefined();
  });

  it('counts nothing where it denies', () => {
    const body = policyOf([daily], 'deny');
    const { refusal } = ledger.send(ledger.admin, 'POST', '/v1/signing-policies', body);
    expect(refusal?.message).toMatch(/counts nothing/);
  });
});
