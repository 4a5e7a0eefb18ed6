import { describe, expect, it } from '@jest/globals';
import { findShadowed } from '@countersign/vault/operations/lint-rules.js';
import type { RuleInput } from './policy-draft.js';
import { earlierRules, placeOfNew, unreachableIn } from './policy-place.js';

const DENY_REST: RuleInput = { display_name: 'Deny the rest', when: {}, then: 'deny' };
const NO_WITHDRAWALS: RuleInput = {
  display_name: 'No withdrawals',
  when: { operation_classes: ['withdraw'] },
  then: 'deny',
};
const ORDERS: RuleInput = {
  display_name: 'Orders',
  when: { operations: ['sign'], initiators: 'anyone', operation_classes: ['trade'] },
  then: 'allow',
};
const policy = (name: string, ...rules: RuleInput[]) => ({ id: name, display_name: name, rules });

describe('a new policy', () => {
  it.each([
    ['last', [policy('A', ORDERS), policy('B', NO_WITHDRAWALS)], 2],
    ['last in a group without any', [], 0],
    ['above what denies all the rest', [policy('A', ORDERS), policy('End', DENY_REST)], 1],
    ['not above what is denied for a reason', [policy('A', NO_WITHDRAWALS, DENY_REST)], 1],
  ])('comes %s', (_, inOrder, place) => {
    expect(placeOfNew(inOrder)).toBe(place);
  });

  it('names what earlier rules do, without those that are switched off', () => {
    const approvals: RuleInput = {
      ...ORDERS,
      display_name: 'Large orders',
      then: { require_approvals: { quorum: 1 } } as never,
    };
    const off = { ...DENY_REST, enabled: false };
    expect(earlierRules([NO_WITHDRAWALS, approvals, off, ORDERS])).toEqual([
      '“No withdrawals” denies',
      '“Large orders” asks for approvals',
      '“Orders” allows',
    ]);
  });

  it('says which of its rules can never be reached, and why', () => {
    const before = [policy('A', NO_WITHDRAWALS), policy('End', ORDERS, DENY_REST)];
    expect(unreachableIn([ORDERS, NO_WITHDRAWALS], before, findShadowed)).toEqual([
      {
        index: 0,
        text: 'This rule can never be reached: “Orders” of the policy “End” comes before it and decides every such request.',
      },
      {
        index: 1,
        text: 'This rule can never be reached: “No withdrawals” of the policy “A” comes before it and decides every such request.',
      },
    ]);
    expect(unreachableIn([ORDERS], [policy('A', NO_WITHDRAWALS)], findShadowed)).toEqual([]);
    const off = { ...DENY_REST, enabled: false };
    expect(unreachableIn([ORDERS], [policy('End', off)], findShadowed)).toEqual([]);
  });
});
