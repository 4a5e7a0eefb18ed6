import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { policyDiff } from './policy-diff.js';
import {
  draftOf,
  draftOver,
  faultsOfDraft,
  newRule,
  rulesOfDraft,
  withoutRule,
  withRuleAdded,
  withRuleChanged,
  withRuleMoved,
  type RuleInput,
} from './policy-draft.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import { lintRules, type KnownIds } from '@countersign/vault/operations/lint-rules.js';
import { formOf, ruleOf, subjectsNamedIn } from './rule-fields.js';
import { conditionWords, outcomeWords } from './rule-words.js';

const ID = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

const rule = (n: number, more: Partial<RuleInput> = {}): RuleInput => ({
  id: ID(n),
  display_name: `rule ${n}`,
  enabled: true,
  when: { operations: ['sign'], initiators: 'anyone' },
  then: 'allow',
  ...more,
});
const RULES = [1, 2, 3, 4].map((n) => rule(n));
const namesOf = (rules: readonly RuleInput[]) => rules.map((one) => one.display_name.at(-1));

describe('a draft', () => {
  it.each([
    [1, 2, '2 3 1 4'],
    [1, 9, '2 3 4 1'],
    [4, 0, '4 1 2 3'],
    [3, -5, '3 1 2 4'],
    [2, 1, '1 2 3 4'],
  ])('has rule %d moved to place %d', (n, to, order) => {
    const draft = withRuleMoved(draftOf(RULES), ID(n), to);
    expect(namesOf(rulesOfDraft(draft)).join(' ')).toBe(order);
  });

  it('loses and makes up no rule, however it is moved', () => {
    const step = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -2, max: 6 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const end = steps.reduce((at, [n, to]) => withRuleMoved(at, ID(n), to), draftOf(RULES));
        expect(namesOf(rulesOfDraft(end))).toHaveLength(4);
        expect(new Set(namesOf(rulesOfDraft(end)))).toEqual(new Set(['1', '2', '3', '4']));
      }),
    );
  });

  it('replaces rules that it was not begun from: a rule that is not among them is a new one', () => {
    const draft = withRuleMoved(draftOf(RULES), ID(1), 3);
    const over = draftOver(draft, [rule(4), rule(2, { then: 'deny' })]);
    expect(rulesOfDraft(over)).toEqual(
      [rule(2), rule(3), rule(4), rule(1)].map(({ id, ...rest }) =>
        id === ID(2) || id === ID(4) ? { id, ...rest } : rest,
      ),
    );
    expect(over.map(({ key }) => key)).toEqual(draft.map(({ key }) => key));
  });

  it('takes a new rule that allows, has no id, and cannot be published before it names somebody', () => {
    const draft = withRuleAdded([], newRule());
    const [added] = rulesOfDraft(draft);
    expect(added).toMatchObject({ then: 'allow' });
    expect(added).not.toHaveProperty('id');
    expect(faultsOfDraft(draft, lintRules)).toEqual([
      { index: 0, text: expect.stringContaining('must name at least one user or group') },
    ]);
  });

  const denies = (when: RuleInput['when']) => rule(2, { when, then: 'deny' });
  const placesWith = (last: RuleInput) =>
    rulesOfDraft(withRuleAdded(draftOf([rule(1), last]), newRule())).map(
      ({ display_name: name }) => name,
    );

  it.each([
    ['everything', {}],
    ['every signature', { operations: ['sign', 'raw_sign'], initiators: 'anyone' }],
  ] as const)('puts a new rule above one that denies %s', (_what, when) => {
    expect(placesWith(denies(when as RuleInput['when']))).toEqual(['rule 1', 'New rule', 'rule 2']);
    expect(placesWith({ ...denies({}), enabled: false }).at(-1)).toBe('rule 2');
  });

  it.each([
    ['some users', { initiators: { user_ids: [ID(5)] } }],
    ['raw bytes alone', { operations: ['raw_sign'] }],
    ['some venues', { venue_ids: ['binance'] }],
  ] as const)('puts it last where the last rule denies %s', (_what, when) => {
    expect(placesWith(denies(when as unknown as RuleInput['when'])).at(-1)).toBe('New rule');
    expect(placesWith(rule(2)).at(-1)).toBe('New rule');
  });

  it('tells a rule below one that denies everything that it never decides', () => {
    const all = rule(1, { when: {}, then: 'deny' });
    expect(faultsOfDraft(draftOf([all, rule(2)]), lintRules)).toEqual([
      { index: 1, text: 'can never match: the rule "rule 1" before it decides every such request' },
    ]);
  });

  it('says of each rule what is wrong with its form', () => {
    const silent = rule(2, { when: { operations: ['sign'] } });
    const faults = faultsOfDraft(draftOf([rule(1), silent]), lintRules);
    expect(faults).toEqual([{ index: 1, text: expect.stringMatching(/^"Asked by": /) }]);
    expect(faultsOfDraft(draftOf([rule(1)]), lintRules)).toEqual([]);
    expect(faultsOfDraft([], lintRules)).toHaveLength(1);
  });

  it('is told of what a gateway would refuse, while it is written', () => {
    const bots = { user_ids: [ID(7)] };
    const wide = rule(1, { when: { operations: ['sign'], initiators: bots }, then: 'allow' });
    const when = { operations: ['sign' as const], initiators: bots };
    const faultOf = (more: Partial<RuleInput>) =>
      faultsOfDraft(draftOf([rule(2, more), wide]), lintRules);
    const narrow = rule(2, { when: { ...when, symbols: ['BTCUSDT'] }, then: 'allow' });
    expect(faultsOfDraft(draftOf([narrow, wide]), lintRules)).toEqual([]);
    expect(faultsOfDraft(draftOf([wide, narrow]), lintRules)).toEqual([
      { index: 1, text: 'can never match: the rule "rule 1" before it decides every such request' },
    ]);
    const withdraw = { ...when, operation_classes: ['withdraw' as const] };
    expect(faultOf({ when: withdraw, then: 'allow' })).toEqual([
      { index: 0, text: expect.stringContaining('allows the class withdraw without a bound') },
    ]);
    expect(faultOf({ when: { ...when, contracts: { max: '1' } }, then: 'allow' })).toEqual([
      { index: 0, text: expect.stringContaining('state them beside symbols') },
    ]);
    const endpoints = { ...when, venue_ids: ['binance'], endpoints: ['POST /api/v3/order'] };
    expect(faultOf({ when: endpoints, then: 'allow' })).toEqual([
      { index: 0, text: expect.stringContaining('covers neither method nor path') },
    ]);
  });

  it('is told of ids that the vault does not know, of each kind that was looked for', () => {
    const named = { user_ids: [ID(7)], user_group_ids: [ID(8)] };
    const when = { initiators: named, venue_ids: ['binance'], networks: ['solana-mainnet'] };
    const asking = rule(1, { when, then: 'deny' });
    const then = { require_approvals: { quorum: 1, user_ids: [ID(9)] } };
    const approving = rule(2, { when: { operations: ['sign'], initiators: 'anyone' }, then });
    const known = {
      users: new Set([ID(7), ID(9)]),
      userGroups: new Set([ID(8)]),
      venues: new Set(['binance']),
      networks: new Set(['solana-mainnet']),
    };
    const draft = draftOf([asking, approving]);
    const faultsWith = (ids: KnownIds) => faultsOfDraft(draft, (rules) => lintRules(rules, ids));
    expect(faultsWith(known)).toEqual([]);
    expect(faultsWith({})).toEqual([]);
    const none = new Set<string>();
    expect(faultsWith({ ...known, users: new Set([ID(7)]) })).toEqual([
      { index: 1, text: `names an unknown user: ${ID(9)}` },
    ]);
    for (const [kind, text] of [
      ['users', `user: ${ID(7)}`],
      ['userGroups', `user group: ${ID(8)}`],
      ['venues', 'venue: binance'],
      ['networks', 'network: solana-mainnet'],
    ] as const) {
      const fault = { index: 0, text: `names an unknown ${text}` };
      expect(faultsWith({ ...known, [kind]: none })).toContainEqual(fault);
    }
  });
});

describe('the difference of two versions', () => {
  it('of the same is nothing, in whatever order fields are written', () => {
    const again = RULES.map(({ then, when, ...rest }) => ({ then, when, ...rest }));
    expect(policyDiff(RULES, again)).toEqual([]);
  });

  it('names the one rule that was moved, and not those that it passed', () => {
    const moved = rulesOfDraft(withRuleMoved(draftOf(RULES), ID(1), 3));
    expect(policyDiff(RULES, moved)).toEqual([
      { kind: 'kept', name: 'rule 1', from: 1, to: 4, isMoved: true, fields: [] },
    ]);
  });

  it('names both of two rules that changed places: either may be the one that was moved', () => {
    for (const [n, to] of [
      [3, 1],
      [2, 2],
    ] as const) {
      const moved = rulesOfDraft(withRuleMoved(draftOf(RULES), ID(n), to));
      expect(policyDiff(RULES, moved)).toMatchObject([
        { name: 'rule 3', from: 3, to: 2, isMoved: true },
        { name: 'rule 2', from: 2, to: 3, isMoved: true },
      ]);
    }
  });

  it('leaves out no rule that was moved, wherever to, beside rules that came and went', () => {
    const place = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(place, place, fc.boolean(), (from, to, hasMore) => {
        const draft = draftOf(RULES);
        const moved = withRuleMoved(draft, draft[from]!.key, to);
        const after = rulesOfDraft(hasMore ? withRuleAdded(moved, newRule()) : moved);
        const told = policyDiff(RULES, after).filter(({ isMoved }) => isMoved);
        if (from === to) expect(told).toEqual([]);
        else expect(told.map(({ name }) => name)).toContain(RULES[from]!.display_name);
      }),
    );
  });

  it('names each field with what it was and is', () => {
    const changed = withRuleChanged(
      draftOf(RULES),
      ID(2),
      rule(2, { when: { initiators: 'anyone', symbols: ['BTCUSDT'] }, then: 'deny' }),
    );
    expect(policyDiff(RULES, rulesOfDraft(changed))[0]).toMatchObject({
      isMoved: false,
      fields: [
        { field: 'then', before: '"allow"', after: '"deny"' },
        { field: 'when.operations', before: '["sign"]' },
        { field: 'when.symbols', after: '["BTCUSDT"]' },
      ],
    });
  });

  it('names what was added and removed', () => {
    const draft = withRuleAdded(withoutRule(draftOf(RULES), ID(3)), newRule());
    expect(policyDiff(RULES, rulesOfDraft(draft))).toMatchObject([
      { kind: 'added', name: 'New rule', to: 4 },
      { kind: 'removed', name: 'rule 3', from: 3 },
    ]);
  });
});

describe('a rule in words', () => {
  const names = new Map([[ID(9), 'Traders']]);

  it('says who, what and how much', () => {
    const when = {
      initiators: { user_group_ids: [ID(9)], user_ids: [] },
      symbols: ['BTCUSDT'],
      amount: { max: '2' },
    };
    expect(conditionWords(when, names)).toEqual([
      'Asked by: group Traders',
      'Symbols: BTCUSDT',
      'Amount: at most 2 BTC',
    ]);
  });

  it('says whose approvals it takes', () => {
    const then = { require_approvals: { quorum: 2, user_group_ids: [ID(9)] } };
    expect(outcomeWords(then, names)).toBe('Ask for 2 approvals of group Traders');
  });
});

describe('the form of a rule', () => {
  const named = rule(1, {
    when: { initiators: { user_ids: [ID(5)], user_group_ids: [ID(6)] } },
    then: { require_approvals: { quorum: 1, user_ids: [ID(7)], user_group_ids: [ID(8)] } },
  });

  it('knows users from groups, also where the page knows neither', () => {
    expect(subjectsNamedIn(named)).toEqual({
      userIds: [ID(5), ID(7)],
      groupIds: [ID(6), ID(8)],
    });
    expect(ruleOf(formOf(named), new Set(), named)).toEqual(named);
  });

  it('gives back every condition as it was', () => {
    const when: Required<RuleInput['when']> = {
      operations: ['sign'],
      initiators: 'anyone',
      networks: ['solana-mainnet'],
      assets: ['solana-mainnet/sol'],
      destinations: ['11111111111111111111111111111111'],
      destination_lists: [ID(3)],
      time: { days: ['mon', 'sun'], from: '22:00', to: '06:00', time_zone: 'Europe/Zurich' },
      venue_ids: ['binance'],
      operation_classes: ['trade'],
      endpoints: ['POST /api/v3/order'],
      symbols: ['BTCUSDT'],
      sides: ['buy'],
      amount: { min: '1', max: '2' },
      quote_amount: { max: '100' },
      contracts: { min: '1' },
      usd_value: { max: '5000' },
      velocity: { limit: '100000', unit: 'usd', window_s: 86_400, per: 'initiator' },
    };
    expect(Object.keys(when).toSorted()).toEqual(CONDITIONS.map(({ name }) => name).toSorted());
    const full = rule(1, { when });
    expect(ruleOf(formOf(full), new Set(), full)).toEqual(full);
    const empty = rule(1, { when: {} });
    expect(ruleOf(formOf(empty), new Set(), empty)).toEqual(empty);
  });

  it('takes a group that the page knows', () => {
    const form = { ...formOf(named), initiators: [ID(9)] };
    expect(ruleOf(form, new Set([ID(9)]), named).when.initiators).toEqual({
      user_ids: [],
      user_group_ids: [ID(9)],
    });
  });
});
