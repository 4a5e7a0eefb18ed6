import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { MachineUser, Rule, RuleConditions, VaultState } from '../state/state.js';
import { EMPTY_STATE } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { OPERATION_CLASSES, type OperationClass } from '@countersign/core/vocabulary.js';
import type { VenueCondition, VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import type { SigningFacts } from './signing-policy.js';
import { howMany } from '../../../../test/support/how-many.ts';

/** `open`: its signature binds everything; `blind`: nothing of the body; `masked`: not even the path. */
const UNBINDABLE: Readonly<Record<string, readonly VenueCondition[]>> = {
  open: [],
  blind: ['symbols', 'sides', 'amount', 'quote_amount', 'contracts'],
  masked: ['endpoints'],
};
const VENUE_IDS = Object.keys(UNBINDABLE);

function findVenue(id: string) {
  const unbound = UNBINDABLE[id];
  return unbound && { id, unbindable: (name: VenueCondition) => reasonOf(unbound, name) };
}

function reasonOf(unbound: readonly VenueCondition[], name: VenueCondition): string | undefined {
  return unbound.includes(name) ? `the signature does not bind ${name}` : undefined;
}

// policy must hold for any venue that may be added: these are made to differ in what they bind
jest.unstable_mockModule('@countersign/venues/venue-catalogue.js', () => ({
  VENUES: [],
  findVenue,
}));
const { findDeadRule, findImpossibleCondition } = await import('../checks/dead-rules.js');
const { findUnbindableCondition } = await import('../checks/unbindable-conditions.js');
const { decideSigning } = await import('./signing-policy.js');
const { askedOf, testContent } = await import('./asked-conditions.js');

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
const MEMBER = 'key-1';
const UNREAD = askedOf(
  {} as SigningFacts,
  () => ({ result: 'none' }),
  () => undefined,
);

const initiator: MachineUser = {
  ...STAMPS,
  id: 'u1',
  type: 'machine',
  displayName: 'u1',
  description: null,
  userGroupIds: [],
  frozen: null,
  apiKeySha256: '',
  publicKey: '',
  publicKeySince: 0,
  expiresAt: null,
};

let ruleCount = 0;
function makeRule(then: Rule['then'], when: RuleConditions, enabled = true): Rule {
  ruleCount += 1;
  return {
    id: `rule-${ruleCount}`,
    displayName: `rule ${ruleCount}`,
    enabled,
    when: { initiators: 'anyone', ...when },
    then,
  };
}
const allow = (when: RuleConditions) => makeRule('allow', when);
const deny = (when: RuleConditions) => makeRule('deny', when);

function factsOf(fields: Partial<VenueFacts> = {}): VenueFacts {
  return {
    venueId: 'open',
    operationClass: 'trade',
    endpoint: 'POST /order',
    symbols: [],
    sides: [],
    amounts: [],
    quoteAmounts: [],
    contracts: [],
    undecidable: [],
    binds: ['method', 'path', 'query', 'body', 'time'],
    ...fields,
  };
}

function stateOf(...rules: readonly Rule[]): VaultState {
  const policy = { ...STAMPS, id: 'p', displayName: 'p', securityGroupId: 'g', version: 3, rules };
  const group = {
    ...STAMPS,
    id: 'g',
    displayName: 'g',
    vaultIds: null,
    members: [{ id: MEMBER, type: 'key' as const }],
    signingPolicyIds: ['p'],
  };
  return {
    ...EMPTY_STATE,
    signingPolicies: insertRow(EMPTY_STATE.signingPolicies, policy),
    securityGroups: insertRow(EMPTY_STATE.securityGroups, group),
  };
}

function decide(venue: VenueFacts, ...rules: readonly Rule[]) {
  const facts = {
    operation: 'sign' as const,
    initiator,
    receivedAt: 0,
    venueId: venue.venueId,
    venue,
  };
  return decideSigning(stateOf(...rules), MEMBER, facts);
}

const outcomeOf = (venue: VenueFacts, ...rules: readonly Rule[]) => decide(venue, ...rules).outcome;

describe('what a request carries several times', () => {
  const btc = { symbols: ['BTCUSDT', 'ETHUSDT'] };

  it('must all be covered by a rule that allows', () => {
    expect(outcomeOf(factsOf({ symbols: ['BTCUSDT'] }), allow(btc))).toBe('allow');
    expect(outcomeOf(factsOf({ symbols: ['BTCUSDT', 'ETHUSDT'] }), allow(btc))).toBe('allow');
    expect(outcomeOf(factsOf({ symbols: ['BTCUSDT', 'DOGEUSDT'] }), allow(btc))).toBe('deny');
    const small = { amount: { max: '10' } };
    expect(outcomeOf(factsOf({ amounts: ['1', '10.0'] }), allow(small))).toBe('allow');
    expect(outcomeOf(factsOf({ amounts: ['1', '10.00000001'] }), allow(small))).toBe('deny');
    const selling = { sides: ['sell'] } as const;
    expect(outcomeOf(factsOf({ sides: ['sell', 'sell'] }), allow(selling))).toBe('allow');
    expect(outcomeOf(factsOf({ sides: ['sell', 'buy'] }), allow(selling))).toBe('deny');
  });

  it('is met once by a rule that denies', () => {
    const rest = allow({});
    expect(outcomeOf(factsOf({ symbols: ['DOGEUSDT'] }), deny(btc), rest)).toBe('allow');
    expect(outcomeOf(factsOf({ symbols: ['DOGEUSDT', 'BTCUSDT'] }), deny(btc), rest)).toBe('deny');
    const large = { amount: { min: '10' } };
    expect(outcomeOf(factsOf({ amounts: ['9.99', '1'] }), deny(large), rest)).toBe('allow');
    expect(outcomeOf(factsOf({ amounts: ['1', '10'] }), deny(large), rest)).toBe('deny');
  });

  it('and not at all meets no condition, of either kind', () => {
    for (const when of [btc, { sides: ['buy'] as const }, { amount: { min: '0' } }]) {
      expect(outcomeOf(factsOf(), allow(when))).toBe('deny');
      expect(outcomeOf(factsOf(), deny(when), allow({}))).toBe('allow');
    }
    const endpoints = { endpoints: ['POST /order'] };
    expect(outcomeOf(factsOf({ endpoint: '' }), allow(endpoints))).toBe('deny');
    expect(outcomeOf(factsOf(), allow(endpoints))).toBe('allow');
  });

  it('both bounds of an amount hold, and are inclusive', () => {
    const within = allow({ amount: { min: '1', max: '2' } });
    const outcomes = ['0.999', '1', '1.5', '2.0', '2.001'].map((amount) =>
      outcomeOf(factsOf({ amounts: [amount] }), within),
    );
    expect(outcomes).toEqual(['deny', 'allow', 'allow', 'allow', 'deny']);
  });

  it('a symbol is the same in either case, and no other letter passes for one of its own', () => {
    expect(outcomeOf(factsOf({ symbols: ['btcusdt'] }), allow(btc))).toBe('allow');
    const rule = allow({ symbols: ['bitusd'] });
    expect(outcomeOf(factsOf({ symbols: ['BITUSD'] }), rule)).toBe('allow');
    // dotless i and long s become I and S in upper case
    for (const symbol of ['bıtusd', 'bituſd', 'BITUSD ', 'BITUS']) {
      expect(outcomeOf(factsOf({ symbols: [symbol] }), rule)).toBe('deny');
    }
    expect(
      outcomeOf(factsOf({ endpoint: 'post /order' }), allow({ endpoints: ['POST /order'] })),
    ).toBe('deny');
  });
});

describe('what cannot be told denies the whole request', () => {
  const wide = allow({});

  it.each([
    ['symbols', { symbols: ['A'] }, { symbols: ['A'] }],
    ['sides', { sides: ['buy'] }, { sides: ['buy'] }],
    ['amount', { amount: { max: '5' } }, { amounts: ['1'] }],
  ] as const)('%s that nobody can compare', (condition, when, carried) => {
    const venue = factsOf({ ...carried, undecidable: [condition] });
    for (const rule of [allow(when), deny(when)]) {
      const { outcome, reason, policy, trace } = decide(venue, rule, wide);
      expect(outcome).toBe('deny');
      expect(reason).toBe(
        `rule ${rule.id} of signing policy p, version 3 cannot be evaluated: ` +
          `${condition}: this request's ${condition} cannot be compared`,
      );
      expect(policy).toEqual({ id: 'p', version: 3, ruleId: rule.id });
      expect(trace).toEqual([
        {
          policyId: 'p',
          version: 3,
          ruleId: rule.id,
          then: rule.then,
          result: 'error',
          failedCondition: condition,
        },
      ]);
    }
    // a rule that does not ask is not disturbed
    expect(outcomeOf(venue, wide)).toBe('allow');
  });

  it('and what no rule allows says which condition of which rule', () => {
    const rules = [allow({ symbols: ['B'] }), allow({ operations: ['raw_sign'] })] as const;
    const { outcome, reason, policy } = decide(factsOf({ symbols: ['A'] }), ...rules);
    expect(outcome).toBe('deny');
    expect(policy).toBeUndefined();
    expect(reason).toBe(
      'no signing policy rule allows this request; ' +
        `rule ${rules[0].id} of signing policy p, version 3: symbols`,
    );
  });

  it('a condition that the venue does not bind', () => {
    const venue = factsOf({ venueId: 'blind', symbols: ['A'] });
    for (const rule of [allow({ symbols: ['A'] }), deny({ symbols: ['B'] })]) {
      const { outcome, reason } = decide(venue, rule, wide);
      expect(outcome).toBe('deny');
      expect(reason).toContain('does not bind symbols');
    }
    const masked = factsOf({ venueId: 'masked' });
    expect(decide(masked, allow({ endpoints: ['GET /other'] }), wide)).toMatchObject({
      outcome: 'deny',
      reason: expect.stringContaining('does not bind endpoints') as unknown,
    });
  });

  it('an amount that is no decimal number, one of several', () => {
    for (const amount of ['1e3', '-1', '', '0x1', '1,0']) {
      const venue = factsOf({ amounts: ['1', amount] });
      for (const rule of [allow({ amount: { max: '5' } }), deny({ amount: { min: '5' } })]) {
        const { outcome, reason } = decide(venue, rule, wide);
        expect(outcome).toBe('deny');
        expect(reason).toContain('not a decimal');
      }
    }
  });

  it('in one group, whatever another group allows', () => {
    const rule = allow({ amount: { max: '5' } });
    const state = stateOf(rule);
    const other = { ...STAMPS, id: 'p2', displayName: 'p2', securityGroupId: 'g2', version: 1 };
    const group = state.securityGroups.rows.get('g')!;
    const second = { ...group, id: 'g2', displayName: 'g2', signingPolicyIds: ['p2'] };
    const signingPolicies = insertRow(state.signingPolicies, { ...other, rules: [wide] });
    for (const groups of [
      [group, second],
      [second, group],
    ]) {
      const securityGroups = groups.reduce(
        (table, row) => insertRow(table, row),
        EMPTY_STATE.securityGroups,
      );
      const both = { ...state, signingPolicies, securityGroups };
      const venue = factsOf({ undecidable: ['amount'] });
      const facts = {
        operation: 'sign' as const,
        initiator,
        receivedAt: 0,
        venueId: 'open',
        venue,
      };
      expect(decideSigning(both, MEMBER, facts)).toMatchObject({
        outcome: 'deny',
        policy: { ruleId: rule.id },
      });
    }
  });

  it('is no matter where an earlier condition fails, or an earlier rule decides', () => {
    const venue = factsOf({ symbols: ['A'], undecidable: ['amount'] });
    const elsewhere = allow({ symbols: ['B'], amount: { max: '5' } });
    expect(outcomeOf(venue, elsewhere, wide)).toBe('allow');
    expect(outcomeOf(venue, wide, allow({ amount: { max: '5' } }))).toBe('allow');
    const off = makeRule('allow', { amount: { max: '5' } }, false);
    expect(outcomeOf(venue, off, wide)).toBe('allow');
    const transfers = allow({ operationClasses: ['transfer'], amount: { max: '5' } });
    expect(outcomeOf(venue, transfers, wide)).toBe('allow');
  });
});

describe('operation classes', () => {
  const classesThat = (outcome: 'allow' | 'deny', ...rules: Rule[]) =>
    OPERATION_CLASSES.filter(
      (operationClass) => outcomeOf(factsOf({ operationClass }), ...rules) === outcome,
    );

  it('a rule that allows and names none covers reading, cancelling and trading alone', () => {
    expect(classesThat('allow', allow({}))).toEqual(['read', 'cancel', 'trade']);
    expect(classesThat('allow', allow({ venueIds: ['open'] }))).toEqual([
      'read',
      'cancel',
      'trade',
    ]);
    expect(classesThat('allow', allow({ endpoints: ['POST /order'] }))).toEqual([
      'read',
      'cancel',
      'trade',
    ]);
  });

  it('a denial of what is unknown says which part nobody knows', () => {
    const because = 'POST /order takes no parameter "x"';
    const unknown = factsOf({ operationClass: 'unknown', unknownBecause: because });
    const denied = deny({ operationClasses: ['unknown'] });
    expect(decide(unknown, allow({})).reason).toContain(because);
    expect(decide(unknown, denied).reason).toContain(because);
    expect(decide(unknown, allow({ operationClasses: ['unknown'] })).reason).not.toContain(because);
  });

  it('a rule that denies and names none covers everything', () => {
    const everything = allow({ operationClasses: OPERATION_CLASSES });
    expect(classesThat('deny', deny({}), everything)).toEqual([...OPERATION_CLASSES]);
    expect(classesThat('deny', deny({ venueIds: ['blind'] }), everything)).toEqual([]);
  });

  it.each(['transfer', 'withdraw', 'key_admin', 'session', 'unknown'] as const)(
    '%s must be named, and then is covered alone',
    (operationClass) => {
      expect(classesThat('allow', allow({ operationClasses: [operationClass] }))).toEqual([
        operationClass,
      ]);
    },
  );

  it('a rule with venue conditions says nothing of transactions and raw signatures', () => {
    const venueRules: RuleConditions[] = [
      { operationClasses: ['trade'] },
      { symbols: ['A'] },
      { amount: { max: '1' } },
      { endpoints: ['POST /order'] },
    ];
    for (const when of venueRules) {
      for (const rule of [allow(when), deny(when)]) {
        expect(testContent(rule, UNREAD).result).toBe('fails');
      }
      const named = allow({ ...when, operations: ['sign', 'raw_sign'] });
      const raw = { operation: 'raw_sign' as const, initiator, receivedAt: 0, venueId: 'open' };
      expect(decideSigning(stateOf(named), MEMBER, raw).outcome).toBe('deny');
    }
    expect(testContent(allow({ venueIds: ['open'] }), UNREAD)).toEqual({ result: 'holds' });
  });

  it('venue_ids are those of the key', () => {
    const rule = allow({ venueIds: ['open'] });
    expect(outcomeOf(factsOf(), rule)).toBe('allow');
    expect(outcomeOf(factsOf({ venueId: 'masked' }), rule)).toBe('deny');
    const transaction = { operation: 'sign' as const, initiator, receivedAt: 0, networkId: 'n1' };
    expect(decideSigning(stateOf(rule), MEMBER, transaction).outcome).toBe('deny');
  });
});

describe('a rule that can never hold is found', () => {
  it.each<[string, RuleConditions, RegExp]>([
    [
      'raw signing alone',
      { operations: ['raw_sign'], symbols: ['A'] },
      /nothing is known of what raw_sign/,
    ],
    [
      'raw signing',
      { operations: ['raw_sign'], operationClasses: ['trade'] },
      /nothing is known of what raw_sign/,
    ],
    ['a network', { networks: ['n'], amount: { max: '1' } }, /has no network/],
    ['a network', { networks: ['n'], operationClasses: ['read'] }, /has no network/],
    ['a session', { operationClasses: ['session'], symbols: ['A'] }, /session carries no symbols/],
    ['a session', { operationClasses: ['session'], amount: { max: '1' } }, /carries no amount/],
    ['a session', { operationClasses: ['session'], sides: ['buy'] }, /carries no sides/],
  ])('%s: %j', (_what, when, reason) => {
    for (const rule of [allow(when), deny(when)]) {
      expect(findImpossibleCondition(rule)).toMatch(reason);
      expect(findDeadRule(rule, [])).toMatch(reason);
    }
  });

  it.each<RuleConditions>([
    { operations: ['sign', 'raw_sign'], symbols: ['A'] },
    { operationClasses: ['session'], endpoints: ['WS login'] },
    { operationClasses: ['session', 'trade'], symbols: ['A'] },
    { networks: ['n'] },
    { venueIds: ['open'], operations: ['raw_sign'] },
  ])('and one that can is not: %j', (when) => {
    expect(findImpossibleCondition(allow(when))).toBeUndefined();
  });

  it('where one of its venues does not bind what it states', () => {
    const when: RuleConditions = { endpoints: ['POST /order'], symbols: ['A'] };
    expect(findUnbindableCondition(when, ['open'], { findVenue })).toBeUndefined();
    expect(findUnbindableCondition(when, [], { findVenue })).toBeUndefined();
    expect(findUnbindableCondition(when, ['open', 'blind'], { findVenue })).toMatch(
      /^symbols: .*symbols/,
    );
    expect(findUnbindableCondition(when, ['masked', 'blind'], { findVenue })).toMatch(
      /^endpoints: /,
    );
    expect(findUnbindableCondition({}, VENUE_IDS, { findVenue })).toBeUndefined();
    // which venue it is for is the key's, not the request's: any venue binds that
    const named: RuleConditions = { venueIds: ['blind'], operationClasses: ['trade'] };
    expect(findUnbindableCondition(named, ['blind'], { findVenue })).toBeUndefined();
  });
});

const SYMBOLS = ['AAA', 'bbb', 'Ccc'];
const ENDPOINTS = ['POST /order', 'GET /orders', 'POST /withdraw'];
const AMOUNTS = ['0', '1', '1.0', '2.5', '10', '10.00000001'];
const SIDES = ['buy', 'sell'] as const;
const NETWORKS = ['n1', 'n2'];

const bounds = fc
  .record(
    { min: fc.constantFrom(...AMOUNTS), max: fc.constantFrom(...AMOUNTS) },
    {
      requiredKeys: [],
    },
  )
  .filter(({ min, max }) => min !== undefined || max !== undefined);

const conditions: fc.Arbitrary<RuleConditions> = fc.record(
  {
    operations: fc.subarray(['sign', 'raw_sign'] as const, { minLength: 1 }),
    networks: fc.subarray(NETWORKS, { minLength: 1 }),
    venueIds: fc.subarray(VENUE_IDS, { minLength: 1 }),
    operationClasses: fc.subarray([...OPERATION_CLASSES], { minLength: 1 }),
    endpoints: fc.subarray(ENDPOINTS, { minLength: 1 }),
    symbols: fc.subarray(SYMBOLS, { minLength: 1 }),
    sides: fc.subarray([...SIDES], { minLength: 1 }),
    amount: bounds,
    quoteAmount: bounds,
    contracts: bounds,
  },
  { requiredKeys: [] },
);

/** Fewer conditions than {@link conditions} gives, so that rules come to cover each other. */
const fewConditions = fc
  .tuple(conditions, fc.subarray(['operations', 'networks', 'venueIds', 'operationClasses']))
  .chain(([when, kept]) =>
    fc
      .subarray(['endpoints', 'symbols', 'sides', 'amount', 'quoteAmount', 'contracts'], {
        maxLength: 3,
      })
      .map((contents) =>
        Object.fromEntries(
          Object.entries(when).filter(([name]) => [...kept, ...contents].includes(name)),
        ),
      ),
  ) as fc.Arbitrary<RuleConditions>;

const rule = fc
  .record({ then: fc.constantFrom('allow', 'deny'), when: fewConditions })
  .map(({ then, when }) => makeRule(then, when));

const requestClass: fc.Arbitrary<OperationClass> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<OperationClass>('trade') },
  fc.constantFrom(...OPERATION_CLASSES),
);

const sizes = fc.array(fc.constantFrom(...AMOUNTS, '3', '1e3'), { maxLength: 2 });

const carried = fc.record({
  symbols: fc.array(fc.constantFrom(...SYMBOLS, 'AaA', 'ZZZ'), { maxLength: 2 }),
  sides: fc.array(fc.constantFrom(...SIDES), { maxLength: 2 }),
  amounts: sizes,
  quoteAmounts: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, sizes),
  contracts: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, sizes),
  undecidable: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.subarray(['symbols', 'sides', 'amount'] as const),
  ),
});

const venueFacts: fc.Arbitrary<VenueFacts> = fc
  .record({
    venueId: fc.constantFrom(...VENUE_IDS, 'open', 'open'),
    operationClass: requestClass,
    endpoint: fc.constantFrom(...ENDPOINTS, ''),
    content: carried,
  })
  .map(({ content, ...fields }) =>
    // a session carries nothing: it opens the key's whole scope
    factsOf(fields.operationClass === 'session' ? fields : { ...fields, ...content }),
  );

const request: fc.Arbitrary<SigningFacts> = fc.oneof(
  {
    weight: 4,
    arbitrary: venueFacts.map((venue) => ({
      operation: 'sign' as const,
      initiator,
      receivedAt: 0,
      venueId: venue.venueId,
      venue,
    })),
  },
  fc
    .constantFrom(...NETWORKS)
    .map((networkId) => ({ operation: 'sign' as const, initiator, receivedAt: 0, networkId })),
  fc
    .option(fc.constantFrom(...VENUE_IDS), { nil: undefined })
    .map((venueId) => ({ operation: 'raw_sign' as const, initiator, receivedAt: 0, venueId })),
);

type Verdict = 'match' | 'no' | 'error';

/** The conditions once more, written apart from the code under test. */
function expectedVerdict({ when, then }: Rule, facts: SigningFacts): Verdict {
  const { operation, networkId, venueId, venue } = facts;
  const silentOperations = then === 'deny' ? ['sign', 'raw_sign'] : ['sign'];
  if (!(when.operations ?? silentOperations).includes(operation)) return 'no';
  if (when.networks !== undefined && !when.networks.some((id) => id === networkId)) return 'no';
  if (when.venueIds !== undefined && !when.venueIds.some((id) => id === venueId)) return 'no';
  const { endpoints, symbols, sides } = when;
  if (venue === undefined) {
    const { operationClasses, amount, quoteAmount, contracts } = when;
    const ofVenues = [operationClasses, endpoints, symbols, sides, amount, quoteAmount, contracts];
    return ofVenues.every((condition) => condition === undefined) ? 'match' : 'no';
  }
  const silent = then === 'allow' ? ['read', 'cancel', 'trade'] : [...OPERATION_CLASSES];
  if (!(when.operationClasses ?? silent).includes(venue.operationClass)) return 'no';
  const checks: [VenueCondition, readonly string[], ((value: string) => boolean) | undefined][] = [
    ['endpoints', [venue.endpoint].filter(Boolean), endpoints && ((x) => endpoints.includes(x))],
    [
      'symbols',
      venue.symbols,
      symbols && ((x) => symbols.map((s) => s.toLowerCase()).includes(x.toLowerCase())),
    ],
    ['sides', venue.sides, sides && ((x) => (sides as readonly string[]).includes(x))],
  ];
  for (const [name, values, test] of checks) {
    if (test === undefined) continue;
    if (UNBINDABLE[venue.venueId]?.includes(name) === true) return 'error';
    if ((venue.undecidable as readonly string[]).includes(name)) return 'error';
    const met = values.filter(test).length;
    if (met === 0 || (then === 'allow' && met < values.length)) return 'no';
  }
  return expectedOfSizes({ when, then }, venue);
}

function expectedOfSizes({ when, then }: Pick<Rule, 'when' | 'then'>, venue: VenueFacts): Verdict {
  const units = [
    { name: 'amount', bounds: when.amount, values: venue.amounts },
    { name: 'quote_amount', bounds: when.quoteAmount, values: venue.quoteAmounts },
    { name: 'contracts', bounds: when.contracts, values: venue.contracts },
  ];
  const bounded = units.filter(({ bounds: given }) => given !== undefined);
  if (bounded.length === 0) return 'match';
  // all three are unbound or none is
  if (UNBINDABLE[venue.venueId]?.some((name) => name === bounded[0]!.name) === true) return 'error';
  if (venue.undecidable.includes('amount')) return 'error';
  if (when.contracts !== undefined && when.symbols === undefined) return 'error';
  if (units.some(({ values }) => values.includes('1e3'))) return 'error';
  if (units.some(({ bounds: given, values }) => given === undefined && values.length > 0)) {
    return 'error';
  }
  const scaled = (text: string) => Math.round(Number(text) * 1e8);
  const within = bounded.flatMap(({ bounds: given, values }) =>
    values.map(
      (value) =>
        scaled(value) >= scaled(given?.min ?? '0') &&
        scaled(value) <= scaled(given?.max ?? '99999999'),
    ),
  );
  const held = within.filter(Boolean).length;
  return held === 0 || (then === 'allow' && held < within.length) ? 'no' : 'match';
}

describe('decideSigning over venue requests', () => {
  it('decides as an evaluator written apart from it', () => {
    const seen = { match: 0, no: 0, error: 0 };
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), request, (rules, facts) => {
        const verdicts = rules.map((row) => expectedVerdict(row, facts));
        const at = verdicts.findIndex((verdict) => verdict !== 'no');
        seen[verdicts[at] ?? 'no'] += 1;
        const isAllowed = verdicts[at] === 'match' && rules[at]?.then === 'allow';
        const { outcome, policy, trace } = decideSigning(stateOf(...rules), MEMBER, facts);
        const result = { match: 'matched', no: 'not_matched', error: 'error' } as const;
        const tried = at === -1 ? verdicts : verdicts.slice(0, at + 1);
        // one assertion for all: each costs a tenth of a millisecond
        const decided = [outcome, policy?.ruleId, ...trace.map((step) => step.result)];
        const expected = [isAllowed ? 'allow' : 'deny', rules[at]?.id];
        expect(decided).toEqual([...expected, ...tried.map((verdict) => result[verdict])]);
      }),
      { numRuns: howMany(6_000) },
    );
    expect(Math.min(seen.match, seen.no, seen.error)).toBeGreaterThan(howMany(300));
  });
});

describe('findDeadRule over venue conditions', () => {
  it('calls no rule dead that would decide some request, be it by an error', () => {
    let dead = 0;
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 5 }),
        fc.array(request, { minLength: 25, maxLength: 25 }),
        (rules, requests) => {
          for (const [index, row] of rules.entries()) {
            const reason = findDeadRule(row, rules.slice(0, index));
            if (reason?.includes('before it decides') !== true) continue;
            dead += 1;
            const state = stateOf(...rules);
            const decided = requests.filter((facts) => {
              const last = decideSigning(state, MEMBER, facts).trace.at(-1);
              return last?.ruleId === row.id && last.result !== 'not_matched';
            });
            expect(decided).toEqual([]);
          }
        },
      ),
      { numRuns: howMany(3_000) },
    );
    expect(dead).toBeGreaterThan(howMany(300));
  });

  it.each<[string, Rule, Rule, boolean]>([
    ['fewer symbols', allow({ symbols: ['A', 'B'] }), allow({ symbols: ['A'] }), true],
    ['more symbols', allow({ symbols: ['A'] }), allow({ symbols: ['A', 'B'] }), false],
    ['a narrower amount', allow({ amount: { max: '5' } }), allow({ amount: { max: '4.9' } }), true],
    ['a wider amount', allow({ amount: { max: '5' } }), allow({ amount: { max: '5.1' } }), false],
    [
      'an amount without the other bound',
      allow({ amount: { min: '1', max: '5' } }),
      allow({ amount: { max: '5' } }),
      false,
    ],
    ['any amount', allow({ amount: { max: '5' } }), allow({ symbols: ['A'] }), false],
    ['one side', allow({}), allow({ sides: ['buy'] }), true],
    ['one endpoint', deny({}), allow({ endpoints: ['GET /orders'] }), true],
    ['one class that silence covers', allow({}), allow({ operationClasses: ['read'] }), true],
    ['one class that it does not', allow({}), allow({ operationClasses: ['withdraw'] }), false],
    ['a denial of every class', allow({}), deny({}), false],
    ['anything after such a denial', deny({}), allow({ operationClasses: ['session'] }), true],
    [
      'transactions too',
      allow({ operationClasses: OPERATION_CLASSES }),
      allow({ symbols: undefined }),
      false,
    ],
    ['one venue', allow({ venueIds: ['open', 'blind'] }), allow({ venueIds: ['blind'] }), true],
    ['every venue', allow({ venueIds: ['open'] }), allow({}), false],
    // any of several denies, all of several allow: neither follows from the other
    ['the same symbols, denied', allow({ symbols: ['A'] }), deny({ symbols: ['A'] }), false],
    ['the same symbols, allowed', deny({ symbols: ['A'] }), allow({ symbols: ['A'] }), false],
  ])('%s', (_what, earlier, later, isDead) => {
    const found = findDeadRule(later, [earlier]);
    if (isDead) expect(found).toContain('before it decides');
    else expect(found).toBeUndefined();
    expect(findDeadRule(later, [{ ...earlier, enabled: false }])).toBeUndefined();
  });
});
