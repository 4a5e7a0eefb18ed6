import { backtest, backtestBody } from '../backtest-schema.js';
import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  evaluateBody,
  evaluation,
  listSigningPoliciesQuery,
  securityGroup,
  signingPolicy,
  signingPolicyPage,
  signingPolicyVersion,
  createSigningPolicyTexts,
  updateSigningPolicyTexts,
  signingPolicyOrderTexts,
} from '../policy-schema.js';
import {
  KEY_ID,
  policyReference,
  REQUEST_ID,
  RULE_ID,
  ruleBody,
  SECURITY_GROUP_ID,
  securityGroup as groupExample,
  SIGNING_POLICY_ID,
  USER_ID,
  signingPolicy as policyExample,
  venueRequest,
} from '../example-values.js';
import {
  createSigningPolicyRequest,
  deleteSigningPolicyRequest,
  orderSigningPoliciesRequest,
  updateSigningPolicyRequest,
} from '../policy-requests.js';

const tag = 'signing-policies';

const REFUSED_RULES = [
  'does not deny and names no initiators',
  'names an unknown user, group, network, venue or time zone',
  'names a testnet while testnets are disabled',
  'can never match',
  'allows withdrawals or transfers without a bound',
  'states a condition that a signature at the venue cannot bind',
  'asks for approvals or a condition that this release does not have',
]
  .map((fault) => `\n- ${fault}`)
  .join('');

export const createSigningPolicyOperation = apiOperation({
  ...WRITE,
  tag,
  ...createSigningPolicyRequest,
  texts: createSigningPolicyTexts,
  summary: 'Create a signing policy at the end of its group',
  description:
    'Adds an ordered list of rules to a security group, after the policies that it has. For a request to sign, the first enabled rule whose every stated condition holds decides; where none does, the request is denied. Only a rule that names `raw_sign` allows it, because nobody reads what is signed. A rule that denies covers it unless it names other operations. ' +
    `Answers 422 when the group is unknown, and when a rule\n${REFUSED_RULES}`,
  response: signingPolicy,
  example: {
    body: {
      display_name: 'Trading at Binance',
      security_group_id: SECURITY_GROUP_ID,
      rules: [ruleBody],
    },
    response: policyExample,
  },
});

export const updateSigningPolicyOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateSigningPolicyRequest,
  texts: updateSigningPolicyTexts,
  summary: 'Replace the rules of a signing policy',
  description:
    'Replaces name and rules: what `GET` gave may be edited and put back. A rule that names its `id` keeps it, one without gets a new one. `version` is the version that the caller has read. The group and the place in its order stay. ' +
    `Answers 404 when there is no such policy. Answers 409 when it is at another version. Answers 422 when a rule names an id that the policy does not have, and when a rule\n${REFUSED_RULES}`,
  response: signingPolicy,
  example: {
    body: { display_name: 'Trading at Binance', rules: [ruleBody], version: 1 },
    response: { ...policyExample, version: 2 },
  },
});

export const deleteSigningPolicyOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteSigningPolicyRequest,
  summary: 'Delete a signing policy',
  description:
    'The rules of the policy no longer decide anything; the policies after it move up. What it denied may now be allowed by a later policy. Answers 404 when there is no such policy.',
  response: deletedView,
  example: { response: { deleted: [SIGNING_POLICY_ID] } },
});

export const orderSigningPoliciesOperation = apiOperation({
  ...WRITE,
  tag,
  ...orderSigningPoliciesRequest,
  texts: signingPolicyOrderTexts,
  summary: 'Set the order in which the policies of a group are evaluated',
  description:
    'Puts the policies of the group into the given order, first to be evaluated first. Answers 404 when there is no such group. Answers 422 unless each policy of the group is named once.',
  response: securityGroup,
  example: { body: { signing_policy_ids: [SIGNING_POLICY_ID] }, response: groupExample },
});

export const listSigningPoliciesOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-signing-policies',
  path: '/v1/signing-policies',
  summary: 'List signing policies',
  description:
    'Signing policies in the order of their creation, oldest first, page by page; `position` tells the place of each in its group.',
  query: listSigningPoliciesQuery,
  response: signingPolicyPage,
  example: {
    query: { security_group_id: SECURITY_GROUP_ID },
    response: { results: [policyExample], next_cursor: null },
  },
});

export const getSigningPolicyOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-signing-policy',
  path: '/v1/signing-policies/{policy_id}',
  summary: 'Get a signing policy',
  description:
    'One signing policy with its rules in order. Answers 404 when there is no such policy.',
  response: signingPolicy,
  example: { response: policyExample },
});

export const getSigningPolicyVersionOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-signing-policy-version',
  path: '/v1/signing-policies/{policy_id}/versions/{version}',
  summary: 'Get a signing policy as it was at a version',
  description:
    'The signing policy with the rules that it had at that version. Receipts and audit log entries name such versions, of deleted policies too. `position` is absent where the policy is no longer in its group. Answers 404 when there is no such policy or it never had that version.',
  response: signingPolicyVersion,
  example: { response: policyExample },
});

export const evaluateSigningPoliciesOperation = apiOperation({
  authentication: 'signed',
  tag,
  id: 'evaluate-signing-policies',
  method: 'POST',
  path: '/v1/signing-policies/evaluate',
  summary: 'Explain what the signing policies would decide; signs nothing',
  description:
    'Evaluates the signing policies and the freezes for a request that nobody has made yet. The request may be of the caller or of another user. What decides is in force, or a draft in its place. The answer says what was read of the request, and what each rule had to do with the decision. It changes nothing. It is signed all the same, because it has a body. ' +
    'Answers 403 when the key is not active or belongs to a wallet (name the wallet). Answers 404 when there is no such key or wallet. Answers 422 when the user is unknown or the wallet does not have the network. Answers 422 when the venue request is missing, malformed, or given where none is asked for. Answers 422 when the transaction cannot be decoded, or the draft could not be written either.',
  action: 'view_system_resources',
  body: evaluateBody,
  response: evaluation,
  example: {
    body: { operation: 'sign', key_id: KEY_ID, venue_request: venueRequest },
    response: {
      outcome: 'allow',
      reason: `allowed by rule ${RULE_ID} of signing policy ${SIGNING_POLICY_ID}, version 1`,
      policy: policyReference,
      facts: {
        operation: 'sign',
        user_id: USER_ID,
        received_at: '2026-11-22T12:00:00.000Z',
        venue_id: 'binance',
        operation_class: 'trade',
        endpoint: 'POST /api/v3/order',
        symbols: ['BTCUSDT'],
        sides: ['buy'],
        amounts: ['0.01'],
        quote_amounts: [],
        contracts: [],
        undecidable: [],
      },
      trace: [{ policy_id: SIGNING_POLICY_ID, rule_id: RULE_ID, result: 'matched' }],
    },
  },
});

export const backtestSigningPoliciesOperation = apiOperation({
  authentication: 'signed',
  tag,
  id: 'backtest-signing-policies',
  method: 'POST',
  path: '/v1/signing-policies/backtest',
  summary: 'Try a draft of signing policies on the requests of a period; signs nothing',
  description:
    'Evaluates recorded requests for signatures again, by a draft in the place of the policies of a security group. The answer says request by request what the draft would decide otherwise. Users, keys, groups and the policies of other groups are taken as they are now, the time of a request as it was then. Freezes are left out, and limits are taken to have room. A request that was refused for its form is not tried. The operation changes nothing. It is signed all the same, because it has a body. ' +
    'A gateway runs one backtest at a time and answers others 504 with `Retry-After`. Answers 404 when there is no such group. Answers 400 when the cursor belongs to another body. Answers 422 when the period is empty or too long or the draft could not be written either.',
  action: 'manage_signing_policies',
  body: backtestBody,
  response: backtest,
  example: {
    body: {
      security_group_id: SECURITY_GROUP_ID,
      rules: [ruleBody],
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-22T00:00:00Z',
    },
    response: {
      results: [
        {
          request_id: REQUEST_ID,
          operation: 'sign',
          user_id: USER_ID,
          key_id: KEY_ID,
          received_at: '2026-11-21T12:00:00.000Z',
          change: 'newly_denied',
          recorded: { outcome: 'allow', reason: null, policy: policyReference },
          draft: {
            outcome: 'deny',
            reason: 'no signing policy rule allows this request',
            policy: null,
            has_limit: false,
          },
        },
      ],
      totals: {
        requests: 812,
        same: 811,
        newly_allowed: 0,
        newly_denied: 1,
        needs_approvals: 0,
        cannot_say: 0,
        has_limit: 0,
      },
      next_cursor: null,
    },
  },
});

export const SIGNING_POLICY_OPERATIONS = [
  createSigningPolicyOperation,
  updateSigningPolicyOperation,
  deleteSigningPolicyOperation,
  orderSigningPoliciesOperation,
  listSigningPoliciesOperation,
  getSigningPolicyOperation,
  getSigningPolicyVersionOperation,
  evaluateSigningPoliciesOperation,
  backtestSigningPoliciesOperation,
] as const;
