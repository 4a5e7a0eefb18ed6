import { describe, expect, it } from '@jest/globals';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { EMPTY_STATE, type Rule, type RuleConditions, type User } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { decideSigning, type SigningFacts } from './signing-policy.js';
import { NO_LIMIT_REACHED, reachedLimitIn, testVelocity } from './velocity.js';

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
const COUNT = { limit: '10', unit: 'count', windowS: 60, per: 'key' } as const;
const QUOTE = { ...COUNT, unit: 'quote_amount' } as const;
const AMOUNT = { ...COUNT, unit: 'amount' } as const;

const order: VenueFacts = {
  venueId: 'binance',
  operationClass: 'trade',
  endpoint: 'POST /api/v3/order',
  symbols: ['LTCBTC'],
  sides: ['buy'],
  amounts: ['1.5', '2'],
  quoteAmounts: [],
  contracts: [],
  undecidable: [],
  binds: [],
};
const facts: SigningFacts = {
  operation: 'sign',
  initiator: { id: 'u1', userGroupIds: [] } as unknown as User,
  receivedAt: 0,
  venueId: 'binance',
  keyId: 'k1',
  venue: order,
};

function ruleOf(id: string, when: RuleConditions, then: Rule['then'] = 'allow'): Rule {
  return {
    id,
    displayName: id,
    enabled: true,
    when: { initiators: 'anyone', operationClasses: ['trade'], ...when },
    then,
  };
}

/** Each inner list is a security group with one policy of these rules. */
function stateOf(...groups: (readonly Rule[])[]) {
  let { securityGroups, signingPolicies } = EMPTY_STATE;
  groups.forEach((rules, index) => {
    const [id, policyId] = [`group ${index}`, `policy ${index}`];
    const policy = {
      ...STAMPS,
      id: policyId,
      displayName: id,
      securityGroupId: id,
      version: 1,
      rules,
    };
    signingPolicies = insertRow(signingPolicies, policy);
    const members = [{ id: 'k1', type: 'key' as const }];
    const group = { ...STAMPS, id, displayName: id, vaultIds: null, members };
    securityGroups = insertRow(securityGroups, { ...group, signingPolicyIds: [policyId] });
  });
  return { ...EMPTY_STATE, securityGroups, signingPolicies };
}

const test = (when: RuleConditions, some: Partial<SigningFacts> = {}, group = 'g') =>
  testVelocity({ id: 'r', when }, group, { ...facts, ...some }, NO_LIMIT_REACHED);
const bucketOf = (...args: Parameters<typeof test>) => {
  const tested = test(...args);
  return tested.result === 'holds' ? tested.claim?.bucket : undefined;
};

describe('what a request takes of a limit', () => {
  it('is one of a count, and the sum of its amounts', () => {
    expect(test({ velocity: COUNT })).toMatchObject({
      claim: { amount: '1', limit: '10', windowMs: 60_000 },
    });
    expect(test({ velocity: AMOUNT })).toMatchObject({ claim: { amount: '3.5' } });
    expect(test({})).toEqual({ result: 'holds' });
  });

  it('is nothing that fits a limit of zero, or one that it passes by itself', () => {
    for (const velocity of [
      { ...COUNT, limit: '0' },
      { ...AMOUNT, limit: '0' },
      { ...AMOUNT, limit: '3.49' },
    ]) {
      const because = expect.stringMatching(/: it is more than the whole limit$/);
      expect(test({ velocity })).toEqual({ result: 'fails', because });
    }
    expect(test({ velocity: { ...AMOUNT, limit: '3.5' } }).result).toBe('holds');
  });

  it('is an error where nobody can count it, and no match where there is nothing to count', () => {
    const venueOf = (venue: Partial<VenueFacts>) => ({ venue: { ...order, ...venue } });
    expect(
      test({ velocity: AMOUNT }, venueOf({ undecidable: ['amount'], amounts: [] })),
    ).toMatchObject({ result: 'error' });
    expect(test({ velocity: AMOUNT }, venueOf({ amounts: ['1e3'] }))).toMatchObject({
      result: 'error',
    });
    expect(
      test({ velocity: AMOUNT }, venueOf({ amounts: ['9'.repeat(40), '9'.repeat(40)] })),
    ).toMatchObject({ result: 'error' });
    expect(test({ velocity: AMOUNT }, venueOf({ amounts: [] }))).toEqual({ result: 'fails' });
    expect(test({ velocity: AMOUNT }, { venue: undefined })).toEqual({ result: 'fails' });
    // a size in another unit passes no limit, alone or in a batch
    expect(test({ velocity: QUOTE })).toMatchObject({ result: 'error' });
    for (const other of [{ quoteAmounts: ['5'] }, { contracts: ['5'] }]) {
      expect(test({ velocity: AMOUNT }, venueOf(other))).toMatchObject({ result: 'error' });
    }
    const byCost = venueOf({ amounts: [], quoteAmounts: ['5', '0.5'] });
    expect(test({ velocity: QUOTE }, byCost)).toMatchObject({ claim: { amount: '5.5' } });
    expect(test({ velocity: AMOUNT }, byCost)).toMatchObject({ result: 'error' });
    expect(test({ velocity: { ...COUNT, per: 'wallet' } })).toMatchObject({ result: 'error' });
  });

  it('is counted with that of the same key, wallet, group or initiator, and with no other', () => {
    const other = { keyId: 'k2', walletId: 'w2', initiator: { id: 'u2' } as User };
    const same = { walletId: 'w1' };
    for (const per of ['key', 'wallet', 'initiator'] as const) {
      const velocity = { ...COUNT, per };
      expect(bucketOf({ velocity }, same, 'g')).toBe(bucketOf({ velocity }, same, 'h'));
      expect(bucketOf({ velocity }, same)).not.toBe(bucketOf({ velocity }, other));
    }
    const velocity = { ...COUNT, per: 'group' } as const;
    expect(bucketOf({ velocity }, same)).toBe(bucketOf({ velocity }, other));
    expect(bucketOf({ velocity }, same, 'g')).not.toBe(bucketOf({ velocity }, same, 'h'));
  });

  it('is counted anew when unit, window or scope change, and on when the limit does', () => {
    const buckets = [
      COUNT,
      AMOUNT,
      { ...COUNT, windowS: 61 },
      { ...COUNT, per: 'initiator' as const },
    ].map((velocity) => bucketOf({ velocity }));
    expect(new Set(buckets).size).toBe(4);
    expect(bucketOf({ velocity: { ...COUNT, limit: '11' } })).toBe(buckets[0]);
  });
});

describe('a rule whose limit is reached', () => {
  const limited = ruleOf('limited', { velocity: COUNT });
  const decide = (groups: (readonly Rule[])[], reached = NO_LIMIT_REACHED) =>
    decideSigning(stateOf(...groups), 'k1', facts, reached);
  const bucket = decide([[limited]]).claim!.bucket;
  const reached = new Map([[bucket, { left: '0.5', notBeforeS: 37 }]]);

  it('is told by its name, with what is left and when there is room again', () => {
    const { reason } = decide([[limited]], reached);
    const { limit, windowS } = COUNT;
    expect(reason).toContain(
      `("limited"): velocity: 1 asked for, ${limit} count allowed in ${windowS} s, at most 0.5 left, room in 37 s or later`,
    );
    expect(reachedLimitIn(reason)).toEqual({ retryAfterS: 37 });
    const unknown = new Map([[bucket, { left: '0' }]]);
    expect(reachedLimitIn(decide([[limited]], unknown).reason)).toEqual({});
    const other = ruleOf('other', { velocity: { ...COUNT, windowS: COUNT.windowS + 60 } });
    const otherBucket = decide([[other]]).claim!.bucket;
    const both = new Map([...reached, [otherBucket, { left: '0', notBeforeS: 9 }]]);
    expect(reachedLimitIn(decide([[limited, other]], both).reason)).toEqual({ retryAfterS: 9 });
  });

  it('is told as too small where nothing would help, and nothing is told of other refusals', () => {
    const { reason } = decide([[ruleOf('small', { velocity: { ...COUNT, limit: '0' } })]]);
    expect(reason).toMatch(/: it is more than the whole limit$/);
    for (const text of [
      reason,
      'no signing policy rule allows this request',
      'room in 9 s or later',
    ]) {
      expect(reachedLimitIn(text)).toBeUndefined();
    }
  });

  it('does not match, and the refusal names it', () => {
    const decision = decide([[limited]], reached);
    expect(decision).toMatchObject({ outcome: 'deny' });
    expect([decision.policy, decision.claim]).toEqual([undefined, undefined]);
    expect(decision.reason).toMatch(/rule limited of signing policy .*: velocity: /);
    expect(decision.trace).toMatchObject([{ result: 'not_matched', failedCondition: 'velocity' }]);
  });

  it('leaves the request to the next one, whose limit is another', () => {
    const next = ruleOf('next', { velocity: { ...COUNT, limit: '2' } });
    const decision = decide([[limited, next]], reached);
    expect(decision).toMatchObject({ outcome: 'allow', policy: { ruleId: 'next' } });
    expect(decision.claim?.limit).toBe('2');
    expect(decision.claim?.bucket).not.toBe(bucket);
    expect(decide([[limited, ruleOf('free', {})]], reached).claim).toBeUndefined();
  });

  it('never lets a request past a rule of another group that denies', () => {
    const groups = [[limited], [ruleOf('no', {}, 'deny')]];
    for (const limits of [NO_LIMIT_REACHED, reached]) {
      expect(decide(groups, limits)).toMatchObject({ outcome: 'deny', policy: { ruleId: 'no' } });
    }
  });
});
