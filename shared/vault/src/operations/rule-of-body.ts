/** Converts one rule of a request to the state's form. */
import { keptConditions } from '@countersign/api/conditions/condition-forms.js';
import type { RuleBody } from '@countersign/api/policy-requests.js';
import type { Rule } from '../state/state.js';
import { askedApprovals } from './asked-approvals.js';

/** Does not check whether the ids in the rule exist. */
export function ruleOfBody(body: RuleBody, id: string): Rule {
  const { display_name: displayName, enabled = true, then } = body;
  const rule = { id, displayName, enabled, when: keptConditions(body.when) };
  return typeof then === 'string'
    ? { ...rule, then }
    : { ...rule, then: { requireApprovals: askedApprovals(then.require_approvals) } };
}
