/** Whether the rules for a key or wallet can let somebody sign at all: asked before a request is read. */
import type { Rule, User, VaultState } from '../state/state.js';
import {
  approvalsOf,
  isForStanding,
  namesInitiator,
  policiesOf,
  type Policies,
  type SigningStanding,
} from './signing-rights.js';

/** Whether an enabled rule for this wallet or key allows the user anything at all, with or without approvals. */
export function isNamedByRule(state: VaultState, memberId: string, user: User): boolean {
  return someAllowing(state, memberId, (rule) => namesInitiator(rule, user));
}

/** Whether the rules for this wallet or key could allow some request of this standing, if it is approved. */
export function canBeAllowed(
  state: VaultState,
  memberId: string,
  standing: SigningStanding,
): boolean {
  return someAllowing(state, memberId, (rule) => isForStanding(rule, standing));
}

const ASKING = new WeakMap<Policies, boolean>();

/** Whether any rule for this wallet or key asks anybody for approvals. */
export function asksForApprovals(state: VaultState, memberId: string): boolean {
  const policies = policiesOf(state, memberId);
  const known = ASKING.get(policies);
  if (known !== undefined) return known;
  const asks = policies.some((list) =>
    list.some(({ rules }) => rules.some((rule) => approvalsOf(rule) !== undefined)),
  );
  ASKING.set(policies, asks);
  return asks;
}

function someAllowing(state: VaultState, memberId: string, test: (rule: Rule) => boolean): boolean {
  return policiesOf(state, memberId).some((policies) =>
    policies.some(({ rules }) =>
      rules.some((rule) => rule.enabled && rule.then !== 'deny' && test(rule)),
    ),
  );
}
