/** Converts rules of a signing policy from the request's form to the state's. */
import type { RuleBody } from '@countersign/api/policy-requests.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { addressListsOf, type Rule, type VaultState } from '../state/state.js';
import { canBeApproved } from '../policy/admin-policy.js';
import { requireSubjects } from './asked-approvals.js';
import type { ApplyContext } from './ledger-operation.js';
import { requireKnown } from './lookups.js';
import { ruleOfBody } from './rule-of-body.js';

/**
 * Rules in the state's form, in order. 422, naming the rule by its index, if it names an unknown user, group or
 * address list, or brings an id that is not the policy's or is another rule's. `kept`: the ids that a rule may bring,
 * those of the policy that is updated.
 */
export function makeRules(
  state: VaultState,
  bodies: readonly RuleBody[],
  context: Pick<ApplyContext, 'newId'>,
  kept: readonly string[] = [],
): Rule[] | Refusal {
  const rules: Rule[] = [];
  const free = new Set(kept);
  for (const [index, body] of bodies.entries()) {
    if (body.id !== undefined && !free.delete(body.id)) {
      return refuse('invalid_inputs', `rules.${index}.id: the policy has no such rule to keep`);
    }
    const rule = makeRule(state, body, body.id ?? context.newId(`rule ${index}`));
    if (isRefusal(rule)) return { ...rule, message: `rules.${index}: ${rule.message}` };
    rules.push(rule);
  }
  return rules;
}

function makeRule(state: VaultState, body: RuleBody, id: string): Rule | Refusal {
  const { then } = body;
  const { initiators = 'anyone' } = body.when;
  const fault =
    requireSubjects(state, initiators === 'anyone' ? {} : initiators) ??
    requireSubjects(state, typeof then === 'string' ? {} : then.require_approvals) ??
    requireKnown(addressListsOf(state), body.when.destination_lists ?? [], 'address list');
  if (fault !== undefined) return fault;
  const rule = ruleOfBody(body, id);
  return typeof rule.then === 'string' ||
    canBeApproved(state, undefined, rule.then.requireApprovals)
    ? rule
    : refuse('invalid_inputs', 'then: there are not so many active users who could approve');
}
