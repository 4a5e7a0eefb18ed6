import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SigningOperationName } from '@countersign/core/vocabulary.js';
import type { MachineUser, Rule, RuleConditions, VaultState } from '../state/state.js';
import { EMPTY_STATE } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { findDeadRule } from '../checks/dead-rules.js';
import { decideSigning, type SigningFacts } from './signing-policy.js';

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
const USERS = ['u1', 'u2', 'u3'];
const GROUPS = ['g1', 'g2'];
const NETWORKS = ['n1', 'n2', 'n3'];
const OPERATIONS: SigningOperationName[] = ['sign', 'raw_sign'];
const MEMBER = 'wallet-1';

function user(id: string, userGroupIds: readonly string[]): MachineUser {
  return {
    ...STAMPS,
    id,
    type: 'machine',
    displayName: id,
    description: null,
    userGroupIds,
    frozen: null,
    apiKeySha256: '',
    publicKey: '',
    publicKeySince: 0,
    expiresAt: null,
  };
}

/** Security groups of the member; each holds policies in order, each policy its rules. */
type World = readonly (readonly (readonly Rule[])[])[];

function stateOf(world: World): VaultState {
  let { securityGroups, signingPolicies } = EMPTY_STATE;
  for (const [g, policies] of world.entries()) {
    const ids = policies.map((_, p) => `policy-${g}-${p}`);
    for (const [p, rules] of policies.entries()) {
      signingPolicies = insertRow(signingPolicies, {
        ...STAMPS,
        id: ids[p]!,
        displayName: ids[p]!,
        securityGroupId: `group-${g}`,
        version: 7,
        rules,
      });
    }
    securityGroups = insertRow(securityGroups, {
      ...STAMPS,
      id: `group-${g}`,
      displayName: `group-${g}`,
      vaultIds: null,
      members: [{ id: MEMBER, type: 'wallet' }],
      signingPolicyIds: ids,
    });
  }
  return { ...EMPTY_STATE, securityGroups, signingPolicies };
}

/** The policy once more, written apart from the code under test: the first rule that holds, per group. */
function expectedRule(rules: readonly Rule[], facts: SigningFacts): Rule | undefined {
  const { operation, initiator, networkId } = facts;
  for (const row of rules) {
    const { enabled, when, then } = row;
    if (!enabled) continue;
    if (when.operations === undefined && operation === 'raw_sign' && then === 'allow') continue;
    if (when.operations !== undefined && when.operations.indexOf(operation) < 0) continue;
    if (when.initiators === undefined && then === 'allow') continue;
    if (when.initiators !== undefined && when.initiators !== 'anyone') {
      const byName = when.initiators.userIds.some((id) => id === initiator.id);
      const members = new Set(initiator.userGroupIds);
      const byGroup = when.initiators.userGroupIds.filter((id) => members.has(id)).length > 0;
      if (!byName && !byGroup) continue;
    }
    if (when.networks !== undefined) {
      if (networkId === undefined || when.networks.indexOf(networkId) < 0) continue;
    }
    return row;
  }
  return undefined;
}

function expectedOutcome(world: World, facts: SigningFacts): 'allow' | 'deny' {
  const verdicts = world.map((policies) => expectedRule(policies.flat(), facts)?.then);
  if (verdicts.includes('deny')) return 'deny';
  return verdicts.includes('allow') ? 'allow' : 'deny';
}

const someOf = (values: readonly string[], minLength = 0) =>
  fc.subarray([...values], { minLength });

const conditions: fc.Arbitrary<RuleConditions> = fc.record(
  {
    operations: fc.subarray(OPERATIONS, { minLength: 1 }),
    initiators: fc.oneof(
      fc.constant('anyone' as const),
      fc
        .record({ userIds: someOf(USERS), userGroupIds: someOf(GROUPS) })
        .filter((who) => who.userIds.length + who.userGroupIds.length > 0),
    ),
    networks: someOf(NETWORKS, 1),
  },
  { requiredKeys: [] },
);

let ruleCount = 0;
const rule: fc.Arbitrary<Rule> = fc
  .record({
    enabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    when: conditions,
    then: fc.constantFrom<'allow' | 'deny'>('allow', 'deny'),
  })
  .map((fields) => ({ ...fields, id: `rule-${ruleCount++}`, displayName: 'a rule' }));

const rules = fc.array(rule, { maxLength: 5 });
const world: fc.Arbitrary<World> = fc.array(fc.array(rules, { maxLength: 3 }), { maxLength: 3 });

/** Raw signing has no network; a transaction always has one. */
const facts: fc.Arbitrary<SigningFacts> = fc
  .record({
    operation: fc.constantFrom(...OPERATIONS),
    initiator: fc
      .tuple(fc.constantFrom(...USERS), someOf(GROUPS))
      .map(([id, groups]) => user(id, groups)),
    networkId: fc.constantFrom(...NETWORKS),
    receivedAt: fc.constant(0),
  })
  .map(({ networkId, ...rest }) => (rest.operation === 'sign' ? { ...rest, networkId } : rest));

const requests = (count: number) => fc.array(facts, { minLength: count, maxLength: count });

describe('decideSigning', () => {
  it('decides as an evaluator written apart from it, 20 000 random requests long', () => {
    const seen = { allow: 0, deny: 0, require_approvals: 0 };
    fc.assert(
      fc.property(world, requests(10), (groups, asked) => {
        const state = stateOf(groups);
        return asked.every((request) => {
          const { outcome } = decideSigning(state, MEMBER, request);
          seen[outcome] += 1;
          return outcome === expectedOutcome(groups, request);
        });
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(seen.allow, seen.deny)).toBeGreaterThan(2_000);
  });

  it('names a rule that matched and decided so, with the version of its policy', () => {
    fc.assert(
      fc.property(world, facts, (groups, request) => {
        const { outcome, policy, trace } = decideSigning(stateOf(groups), MEMBER, request);
        if (policy === undefined) {
          expect(outcome).toBe('deny');
          expect(trace.some((step) => step.result === 'matched')).toBe(false);
          return;
        }
        const named = groups.flat(2).find((row) => row.id === policy.ruleId);
        expect(named?.then).toBe(outcome);
        expect(named?.enabled).toBe(true);
        expect(policy.version).toBe(7);
        expect(trace).toContainEqual(
          expect.objectContaining({
            policyId: policy.id,
            ruleId: policy.ruleId,
            result: 'matched',
          }) as unknown,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('never lets silence allow raw signing', () => {
    const silent = rule.map((row) => {
      const { operations: _operations, ...when } = row.when;
      return { ...row, when };
    });
    const groups = fc.array(fc.array(fc.array(silent, { maxLength: 3 }), { maxLength: 3 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(groups, facts, (silentWorld, request) => {
        const raw = { ...request, operation: 'raw_sign' as const, networkId: undefined };
        expect(decideSigning(stateOf(silentWorld), MEMBER, raw).outcome).toBe('deny');
      }),
      { numRuns: 500 },
    );
  });

  it('lets no other group undo a denial, in whatever order the groups are', () => {
    fc.assert(
      fc.property(world, rules, facts, fc.nat(3), (groups, denying, request, at) => {
        fc.pre(expectedRule(denying, request)?.then === 'deny');
        const position = Math.min(at, groups.length);
        const all = [...groups.slice(0, position), [denying], ...groups.slice(position)];
        expect(decideSigning(stateOf(all), MEMBER, request).outcome).toBe('deny');
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same outcome whatever disabled rules stand between the others', () => {
    const disabled = rule.map((row) => ({ ...row, enabled: false }));
    fc.assert(
      fc.property(rules, disabled, fc.nat(5), facts, (ordered, idle, at, request) => {
        const position = Math.min(at, ordered.length);
        const padded = [...ordered.slice(0, position), idle, ...ordered.slice(position)];
        const [plain, withIdle] = [ordered, padded].map((list) =>
          decideSigning(stateOf([[list]]), MEMBER, request),
        );
        expect(withIdle?.outcome).toBe(plain?.outcome);
        expect(withIdle?.policy).toEqual(plain?.policy);
      }),
      { numRuns: 500 },
    );
  });

  it('stops everything by a rule that denies and names nothing, raw signing included', () => {
    const deny: Rule = { id: 'no', displayName: 'no', enabled: true, when: {}, then: 'deny' };
    fc.assert(
      fc.property(rules, facts, (behind, request) => {
        const { outcome, policy } = decideSigning(stateOf([[[deny, ...behind]]]), MEMBER, request);
        expect(outcome).toBe('deny');
        expect(policy?.ruleId).toBe('no');
      }),
      { numRuns: 200 },
    );
  });

  it('allows nobody by a rule of an older ledger that names nobody', () => {
    const open: Rule = {
      id: 'open',
      displayName: 'open',
      enabled: true,
      when: { operations: ['sign', 'raw_sign'] },
      then: 'allow',
    };
    fc.assert(
      fc.property(facts, (request) => {
        expect(decideSigning(stateOf([[[open]]]), MEMBER, request).outcome).toBe('deny');
      }),
      { numRuns: 50 },
    );
  });

  it('denies a member of no group, and one whose groups have no policy', () => {
    const request = {
      operation: 'sign' as const,
      initiator: user('u1', []),
      networkId: 'n1',
      receivedAt: 0,
    };
    for (const state of [EMPTY_STATE, stateOf([]), stateOf([[]]), stateOf([[[]]])]) {
      expect(decideSigning(state, MEMBER, request)).toMatchObject({ outcome: 'deny', trace: [] });
    }
  });

  it('does not cover for a policy that a group names and the state lacks', () => {
    const state = { ...stateOf([[[]]]), signingPolicies: EMPTY_STATE.signingPolicies };
    const request = {
      operation: 'sign' as const,
      initiator: user('u1', []),
      networkId: 'n1',
      receivedAt: 0,
    };
    expect(() => decideSigning(state, MEMBER, request)).toThrow('does not exist');
  });
});

describe('findDeadRule', () => {
  it('calls no rule dead that some request would reach', () => {
    let dead = 0;
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 6 }),
        requests(20),
        (ordered, asked) => {
          for (const [index, row] of ordered.entries()) {
            if (findDeadRule(row, ordered.slice(0, index)) === undefined) continue;
            dead += 1;
            for (const request of asked) {
              if (expectedRule(ordered, request)?.id === row.id) return false;
            }
          }
          return true;
        },
      ),
      { numRuns: 1_500 },
    );
    expect(dead).toBeGreaterThan(300);
  });

  it('finds a rule behind a wider one, an equal one and one for everybody', () => {
    const make = (when: RuleConditions, enabled = true): Rule => ({
      id: 'r',
      displayName: 'r',
      enabled,
      when,
      then: 'allow',
    });
    const narrow = make({ initiators: { userIds: ['u1'], userGroupIds: [] }, networks: ['n1'] });
    const anyone = { initiators: 'anyone' } as const;
    const widerOnes: RuleConditions[] = [
      narrow.when,
      anyone,
      { ...anyone, networks: ['n1', 'n2'] },
      { initiators: { userIds: ['u2', 'u1'], userGroupIds: ['g1'] } },
      { ...anyone, operations: ['raw_sign', 'sign'] },
    ];
    for (const when of widerOnes) {
      expect(findDeadRule(narrow, [make(when)])).toContain('before it decides');
      expect(findDeadRule(narrow, [make(when, false)])).toBeUndefined();
    }
    // one of an older ledger that names nobody stands before nobody
    expect(findDeadRule(narrow, [make({})])).toBeUndefined();
    expect(findDeadRule(make({ operations: ['raw_sign'] }), [make(anyone)])).toBeUndefined();
    expect(
      findDeadRule(make({ operations: ['raw_sign'] }), [{ ...make({}), then: 'deny' }]),
    ).toContain('before it decides');
    expect(findDeadRule(make({ operations: ['raw_sign'], networks: ['n1'] }), [])).toContain(
      'raw_sign has no network',
    );
  });
});
