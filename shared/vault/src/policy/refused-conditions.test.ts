/**
 * Every condition that a rule can state, once: a condition without a case does not compile. It names itself, its rule, the
 * policy and its version where it is why nothing is signed: when it does not hold, when it cannot be told, and in a rule that
 * denies. What was stated is given back as it was, and a rule that repeats it before another makes that one dead.
 */
import { describe, expect, it } from '@jest/globals';
import * as s from '@countersign/core/shapes.js';
import { keptConditions, STATED_FIELDS } from '@countersign/api/conditions/condition-forms.js';
import { CONDITIONS, SHOWN_FIELDS } from '@countersign/api/conditions/conditions.js';
import { shownConditions } from '../views/policy-view.js';
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import type { MachineUser, Rule, RuleConditions, VaultState } from '../state/state.js';
import { addressListsOf, EMPTY_STATE } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { findDeadRule } from '../checks/dead-rules.js';
import { decideSigning, type SigningFacts } from './signing-policy.js';

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
const MEMBER = 'key-1';

const initiator: MachineUser = {
  ...STAMPS,
  id: 'bot',
  type: 'machine',
  displayName: 'bot',
  description: null,
  userGroupIds: [],
  frozen: null,
  apiKeySha256: '',
  publicKey: '',
  publicKeySince: 0,
  expiresAt: null,
};

const order: VenueFacts = {
  venueId: 'binance',
  operationClass: 'trade',
  endpoint: 'POST /api/v3/order',
  symbols: ['BTCUSDT'],
  sides: ['buy'],
  amounts: ['2'],
  quoteAmounts: [],
  contracts: [],
  undecidable: [],
  binds: [],
};
const SOL = 'solana-mainnet/SOL';
const transfer: TransactionFacts = {
  movements: [{ assets: [SOL], destination: 'theirs', amount: 2_000_000_000n }],
};

const common = { operation: 'sign', initiator, receivedAt: 0, keyId: MEMBER } as const;
const ofOrder = (venue: Partial<VenueFacts> = {}): SigningFacts => ({
  ...common,
  venueId: 'binance',
  venue: { ...order, ...venue },
  prices: {
    priceOf: (asset) =>
      asset === 'USDT'
        ? { asset, price: '1', at: 0, relay: 'a relay' }
        : { unpriced: `no price of ${asset}` },
  },
});
const ofTransfer = (transaction: Partial<TransactionFacts> = {}): SigningFacts => ({
  ...common,
  networkId: 'solana-mainnet',
  transaction: { ...transfer, ...transaction },
});
const atOkx = ofOrder({ venueId: 'okx', endpoint: 'POST /api/v5/trade/order' });
const unread = { unread: 'a program that the vault cannot read' };

/** One value of a condition with a request: for which it does not hold, holds, and cannot be told. */
interface Case {
  readonly fails: readonly [RuleConditions, SigningFacts];
  readonly holds: readonly [RuleConditions, SigningFacts];
  /** Absent: it can always be told. */
  readonly unclear?: readonly [RuleConditions, SigningFacts];
}

const ANY = { initiators: 'anyone' } as const;
const [OURS, THEIRS, GONE] = ['a', 'b', 'c'].map(
  (end) => `00000000-0000-4000-8000-00000000000${end}`,
) as [string, string, string];
const others = { userIds: ['00000000-0000-4000-8000-000000000000'], userGroupIds: [] };
const count = { unit: 'count', windowS: 60, per: 'key' } as const;

const CASES: { readonly [Name in keyof Required<RuleConditions>]: Case } = {
  operations: {
    fails: [{ operations: ['raw_sign'] }, ofOrder()],
    holds: [{ operations: ['sign'] }, ofOrder()],
  },
  initiators: {
    fails: [{ initiators: others }, ofOrder()],
    holds: [{ initiators: 'anyone' }, ofOrder()],
  },
  networks: {
    fails: [{ networks: ['another'] }, ofTransfer()],
    holds: [{ networks: ['solana-mainnet'] }, ofTransfer()],
  },
  assets: {
    fails: [{ assets: ['solana-mainnet/USDC'] }, ofTransfer()],
    holds: [{ assets: [SOL] }, ofTransfer()],
    unclear: [{ assets: [SOL] }, ofTransfer(unread)],
  },
  destinations: {
    fails: [{ destinations: ['ours'] }, ofTransfer()],
    holds: [{ destinations: ['theirs'] }, ofTransfer()],
    unclear: [{ destinations: ['ours'] }, ofTransfer(unread)],
  },
  destinationLists: {
    fails: [{ destinationLists: [OURS] }, ofTransfer()],
    holds: [{ destinationLists: [OURS, THEIRS] }, ofTransfer()],
    unclear: [{ destinationLists: [THEIRS, GONE] }, ofTransfer()],
  },
  // 1 January 1970 was a Thursday
  time: {
    fails: [{ time: { days: ['fri'], timeZone: 'UTC' } }, ofOrder()],
    holds: [{ time: { days: ['thu'], timeZone: 'UTC' } }, ofOrder()],
    unclear: [{ time: { days: ['thu'], timeZone: 'Nowhere/City' } }, ofOrder()],
  },
  venueIds: {
    fails: [{ venueIds: ['okx'] }, ofOrder()],
    holds: [{ venueIds: ['binance'] }, ofOrder()],
  },
  operationClasses: {
    fails: [{ operationClasses: ['withdraw'] }, ofOrder()],
    holds: [{ operationClasses: ['trade'] }, ofOrder()],
  },
  endpoints: {
    fails: [{ endpoints: ['GET /api/v5/account/balance'] }, atOkx],
    holds: [{ endpoints: ['POST /api/v5/trade/order'] }, atOkx],
    // its signature does not cover where it goes
    unclear: [{ endpoints: ['POST /api/v3/order'] }, ofOrder()],
  },
  symbols: {
    fails: [{ symbols: ['ETHUSDT'] }, ofOrder()],
    holds: [{ symbols: ['BTCUSDT'] }, ofOrder()],
    unclear: [{ symbols: ['BTCUSDT'] }, ofOrder({ undecidable: ['symbols'] })],
  },
  sides: {
    fails: [{ sides: ['sell'] }, ofOrder()],
    holds: [{ sides: ['buy'] }, ofOrder()],
    unclear: [{ sides: ['buy'] }, ofOrder({ undecidable: ['sides'] })],
  },
  amount: {
    fails: [{ amount: { max: '1' } }, ofOrder()],
    holds: [{ amount: { max: '2' } }, ofOrder()],
    unclear: [{ amount: { max: '2' } }, ofOrder({ undecidable: ['amount'] })],
  },
  quoteAmount: {
    fails: [{ quoteAmount: { max: '1' } }, ofOrder({ amounts: [], quoteAmounts: ['2'] })],
    holds: [{ quoteAmount: { max: '2' } }, ofOrder({ amounts: [], quoteAmounts: ['2'] })],
    unclear: [{ quoteAmount: { max: '2' } }, ofOrder()],
  },
  contracts: {
    fails: [
      { symbols: ['BTCUSDT'], contracts: { max: '1' } },
      ofOrder({ amounts: [], contracts: ['2'] }),
    ],
    holds: [
      { symbols: ['BTCUSDT'], contracts: { max: '2' } },
      ofOrder({ amounts: [], contracts: ['2'] }),
    ],
    unclear: [{ contracts: { max: '2' } }, ofOrder({ amounts: [], contracts: ['2'] })],
  },
  usdValue: {
    fails: [{ usdValue: { max: '1' } }, ofOrder({ operationClass: 'cancel' })],
    holds: [{ usdValue: { max: '2' } }, ofOrder({ amounts: [], quoteAmounts: ['2'] })],
    unclear: [{ usdValue: { max: '1' } }, ofOrder()],
  },
  velocity: {
    fails: [{ velocity: { ...count, limit: '0' } }, ofOrder()],
    holds: [{ velocity: { ...count, limit: '1' } }, ofOrder()],
    unclear: [{ velocity: { ...count, limit: '1', per: 'wallet' } }, ofOrder()],
  },
};

function addressBook(book: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(book).reduce((table, [id, addresses]) => {
    const entries = addresses.map((address) => ({ address, displayName: 'somebody' }));
    const list = { ...STAMPS, id, displayName: 'List', description: null, version: 1 };
    return insertRow(table, { ...list, entries });
  }, addressListsOf(EMPTY_STATE));
}

function decide(when: RuleConditions, then: Rule['then'], facts: SigningFacts) {
  const rule = { id: 'the-rule', displayName: 'Rule', enabled: true, when, then };
  const policy = { ...STAMPS, id: 'the-policy', displayName: 'Policy', version: 7, rules: [rule] };
  const group = { ...STAMPS, id: 'group', displayName: 'Group', vaultIds: null };
  const state: VaultState = {
    ...EMPTY_STATE,
    addressLists: addressBook({ [OURS]: ['ours'], [THEIRS]: ['theirs', 'x'] }),
    signingPolicies: insertRow(EMPTY_STATE.signingPolicies, {
      ...policy,
      securityGroupId: 'group',
    }),
    securityGroups: insertRow(EMPTY_STATE.securityGroups, {
      ...group,
      members: [{ id: MEMBER, type: 'key' }],
      signingPolicyIds: [policy.id],
    }),
  };
  return decideSigning(state, MEMBER, facts);
}

const RULE = 'rule the-rule of signing policy the-policy, version 7';
const POLICY = { id: 'the-policy', version: 7, ruleId: 'the-rule' };
const all = CONDITIONS.map(({ field }) => field as keyof RuleConditions);
const nameOf = (field: string) => CONDITIONS.find((one) => one.field === field)!.name;

/** What is told instead of rule and condition alone. */
const TOLD: Readonly<Partial<Record<keyof RuleConditions, string>>> = {
  initiators: 'those that allow something name other initiators',
  velocity: `${RULE} ("Rule"): velocity: 1 asked for, 0 count allowed in 60 s: it is more than the whole limit`,
};

describe('a refusal names rule, version and condition:', () => {
  it.each(all)('%s does not hold', (field) => {
    const [when, facts] = CASES[field].fails;
    const { outcome, reason, trace } = decide({ ...ANY, ...when }, 'allow', facts);
    expect(outcome).toBe('deny');
    expect(trace).toMatchObject([{ failedCondition: nameOf(field) }]);
    // a rule for others is none that the caller could meet
    const told = TOLD[field] ?? `${RULE}: ${nameOf(field)}`;
    expect(reason).toBe(`no signing policy rule allows this request; ${told}`);
  });

  it.each(all)('%s holds in a rule that denies', (field) => {
    const [when, facts] = CASES[field].holds;
    const stated = all.filter((name) => when[name] !== undefined);
    expect(stated).toContain(field);
    expect(decide(when, 'deny', facts)).toMatchObject({
      outcome: 'deny',
      policy: POLICY,
      reason: `denied by ${RULE}: ${stated.map((name) => nameOf(name)).join(', ')}`,
    });
  });

  it.each(all.filter((field) => CASES[field].unclear !== undefined))(
    '%s cannot be told',
    (field) => {
      const [when, facts] = CASES[field].unclear!;
      for (const then of ['allow', 'deny'] as const) {
        const { outcome, policy, reason } = decide({ ...ANY, ...when }, then, facts);
        expect({ outcome, policy }).toEqual({ outcome: 'deny', policy: POLICY });
        const begins = `${RULE} cannot be evaluated: ${nameOf(field)}: `;
        expect(reason.slice(0, begins.length)).toBe(begins);
        expect(reason.length).toBeGreaterThan(begins.length);
      }
    },
  );

  it('a rule that denies everything states none; without a rule nothing allows', () => {
    expect(decide({}, 'deny', ofOrder()).reason).toBe(`denied by ${RULE}: it states no condition`);
    expect(decideSigning(EMPTY_STATE, MEMBER, ofOrder()).reason).toBe(
      'no signing policy rule allows this request; none that allows anything is in force here',
    );
  });
});

const RECEIVED = s.strictObject(STATED_FIELDS);
const ANSWERED = s.strictObject(SHOWN_FIELDS);
const ruleWith = (when: RuleConditions): Rule => ({
  ...{ id: 'r', displayName: 'r', enabled: true, when: { ...ANY, ...when }, then: 'allow' },
});

describe('each condition', () => {
  it('has a name and a field of its own, and words for people', () => {
    expect(new Set(all).size).toBe(CONDITIONS.length);
    expect(new Set(CONDITIONS.map(({ name }) => name)).size).toBe(CONDITIONS.length);
    for (const { text, words } of CONDITIONS) {
      expect(text).toMatch(/[Aa]bsent/);
      expect(words.label).toMatch(/^[A-Z][a-z ]+$/);
    }
  });

  it.each(all)('%s is answered as it was stated, and can be put back', (field) => {
    for (const [when] of [CASES[field].fails, CASES[field].holds]) {
      const shown = shownConditions(when);
      expect(ANSWERED.parse(shown)).toEqual(shown);
      expect(keptConditions(RECEIVED.parse(shown))).toEqual(when);
    }
  });

  // beyond a limit others decide
  it.each(all.filter((field) => field !== 'velocity'))(
    '%s, said once more before, leaves a rule nothing to decide; not said, all',
    (field) => {
      const said = ruleWith(CASES[field].holds[0]);
      expect(findDeadRule(said, [said])).toContain('before it decides every such request');
      const { [field]: _, ...others } = said.when;
      const unsaid: Rule = { ...said, when: others };
      // whoever says neither means less than whoever says one
      const saysMore = field === 'operations' || field === 'initiators';
      if (!saysMore) expect(findDeadRule(unsaid, [said])).toBeUndefined();
    },
  );
});
