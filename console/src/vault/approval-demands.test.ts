/** What the page says beforehand is what the vault then decides. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefusal } from '@countersign/core/errors.js';
import { adminPolicy } from '@countersign/api/example-values.js';
import { authorizeAdmin } from '@countersign/vault/policy/admin-policy.js';
import { EMPTY_STATE, type AdminPolicy as Row, type User } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import { demandsOf, waitingWords, type AdminPolicy } from './approval-demands.js';

const VAULTS = ['v1', 'v2', 'v3'];
const person = {
  id: 'u1',
  user_groups: [{ id: 'g1', display_name: 'Officers', description: null }],
};
const user = { id: 'u1', userGroupIds: ['g1'] } as unknown as User;

const anyPolicy = fc
  .record({
    effect: fc.constantFrom('allow' as const, 'allow' as const, 'allow' as const, 'deny' as const),
    subjects: fc.record({
      user_ids: fc.subarray(['u1', 'u2']),
      user_group_ids: fc.subarray(['g1', 'g2']),
    }),
    scope: fc.oneof(
      fc.constant({}),
      fc.subarray(VAULTS, { minLength: 1 }).map((ids) => ({ vault_ids: ids })),
    ),
    quorum: fc.nat(2),
    delay_s: fc.constantFrom(0, 60),
  })
  .map(({ quorum, ...fields }): AdminPolicy => {
    const wait = fields.effect === 'allow' && quorum > 0;
    return {
      ...adminPolicy,
      action: 'unfreeze',
      ...fields,
      ...(wait && {
        approvals: { quorum, user_ids: ['u2'], user_group_ids: [], expires_in_s: 60 },
      }),
    } as AdminPolicy;
  });

/** As the vault has it. */
function rowOf({ approvals, delay_s: delay = 0, ...policy }: AdminPolicy, id: string): Row {
  const { user_ids: userIds, user_group_ids: userGroupIds } = policy.subjects;
  return {
    id,
    action: policy.action,
    effect: policy.effect,
    subjects: { userIds, userGroupIds },
    scopeVaultIds: policy.scope.vault_ids ?? null,
    version: 1,
    ...(approvals !== undefined && { approvals: { quorum: approvals.quorum } }),
    ...(delay > 0 && { delayMs: delay * 1_000 }),
  } as unknown as Row;
}

it('asks for what the vault will ask for, under 2 000 random policies', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(anyPolicy, { maxLength: 5 }),
      fc.subarray(VAULTS),
      (policies, vaultIds) => {
        const named = policies.map((policy, place) => ({ ...policy, id: `p${place}` }));
        const rows = named.map((policy) => rowOf(policy, policy.id));
        const adminPolicies = rows.reduce(
          (table, row) => insertRow(table, row),
          EMPTY_STATE.adminPolicies,
        );
        const decided = authorizeAdmin(
          { ...EMPTY_STATE, adminPolicies },
          user,
          'unfreeze',
          vaultIds,
        );
        const expected = isRefusal(decided)
          ? 'refused'
          : decided.demands.map(({ policy: { id } }) => id);
        const told = demandsOf(named, person, vaultIds);
        seen.add(typeof told === 'string' ? told : String(told.length > 0));
        expect(told === 'refused' ? told : told.map(({ id }) => id)).toEqual(expected);
      },
    ),
    { numRuns: 2_000 },
  );
  expect([...seen].toSorted()).toEqual(['false', 'refused', 'true']);
});

describe('in words', () => {
  const policy = { ...adminPolicy, display_name: 'Two of risk' } as AdminPolicy;
  const approvals = { quorum: 2 } as NonNullable<AdminPolicy['approvals']>;

  it.each<[Parameters<typeof waitingWords>[0], string]>([
    ['refused', 'would be refused'],
    [[], 'It takes effect at once'],
    [[{ ...policy, approvals }], 'waits for 2 approvals of others (policy “Two of risk”).'],
    [
      [
        { ...policy, approvals: { ...approvals, quorum: 1 } },
        { ...policy, delay_s: 3_600 },
      ],
      'waits for 1 approval of others (policy “Two of risk”), and for a delay of at least 1 h (policy',
    ],
  ])('%j', (demands, words) => {
    expect(waitingWords(demands)).toContain(words);
  });
});
