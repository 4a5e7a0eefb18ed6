/** A draft of signing policies, tried on recorded requests. */
import * as s from '@countersign/core/shapes.js';
import { signingOperation } from './conditions/condition-forms.js';
import {
  decidingRule,
  draftPolicies,
  draftRules,
  momentInput,
  signingOutcome,
} from './policy-schema.js';
import { dateTime, id } from './primitives.js';

export const MAX_BACKTEST_DAYS = 92;
export const MAX_BACKTEST_REQUESTS = 5_000;
export const DEFAULT_BACKTEST_REQUESTS = 1_000;

const DAY_MS = 86_400_000;

/** How the answer to a recorded request would change under the draft. */
export const BACKTEST_CHANGES = [
  'same',
  'newly_allowed',
  'newly_denied',
  'needs_approvals',
  'cannot_say',
] as const;

export type BacktestChange = (typeof BACKTEST_CHANGES)[number];

export const backtestBody = s
  .strictObject({
    security_group_id: id.describe(
      'Id of the security group whose policies the draft stands for. Requests for its keys and wallets are tried, as it is now.',
    ),
    rules: draftRules
      .optional()
      .describe('As `policies` with one policy that has these rules. Either this, or `policies`.'),
    policies: draftPolicies
      .optional()
      .describe(
        'The draft, in the place of what is in force for the group; 422 as if it were written. Either this, or `rules`.',
      ),
    from: momentInput.describe(
      'Requests that were decided at this time or later: RFC 3339 with offset.',
    ),
    to: momentInput.describe(
      `Requests that were decided before this time: RFC 3339 with offset, behind \`from\` by at most ${MAX_BACKTEST_DAYS} days.`,
    ),
    show: s
      .words(['changed', 'all'])
      .optional()
      .describe(
        '`changed`: `results` leaves out what stays the same; `all`: every request. Absent: `changed`.',
      ),
    limit: s
      .int()
      .min(1)
      .max(MAX_BACKTEST_REQUESTS)
      .optional()
      .describe(
        `How many requests on record are read for one answer, those of other groups included: 1 to ${MAX_BACKTEST_REQUESTS}; ${DEFAULT_BACKTEST_REQUESTS} when absent.`,
      ),
    cursor: s
      .string()
      .max(512)
      .optional()
      .describe(
        '`next_cursor` of the answer before; the same caller and otherwise the same body as there. Absent: the beginning of the period.',
      ),
  })
  .refine(({ rules, policies }) => (rules === undefined) !== (policies === undefined), {
    path: ['policies'],
    message: 'state either rules or policies',
  })
  .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be later than from' })
  .refine(({ from, to }) => to - from <= MAX_BACKTEST_DAYS * DAY_MS, {
    path: ['to'],
    message: `must be at most ${MAX_BACKTEST_DAYS} days after from`,
  })
  .meta({ id: 'BacktestRequest' });

const counted = (what: string) => s.int().describe(`How many of them ${what}.`);

const replayed = s.strictObject({
  request_id: id.describe('Id of the request.'),
  operation: signingOperation.describe('The operation that was asked for.'),
  user_id: id.describe('Id of the user who asked.'),
  key_id: id.optional().describe('Id of the key. Absent: it is not known any more.'),
  wallet_id: id.optional().describe('Id of the wallet. Absent: none, or it was removed.'),
  received_at: dateTime.describe(
    'When the gateway received it, as rules about times take it; RFC 3339, UTC, milliseconds.',
  ),
  change: s
    .words(BACKTEST_CHANGES)
    .describe(
      '`newly_allowed`: it was denied, and the draft allows it. `newly_denied`: it was allowed, and the draft denies it. `needs_approvals`: under the draft it waits for approvals, and was not approved under the same rule. `cannot_say`: the decision cannot be told, see `because`.',
    ),
  because: s
    .string()
    .optional()
    .describe('Why the decision cannot be told, for people. Absent: it can.'),
  recorded: s
    .strictObject({
      outcome: s.words(['allow', 'deny']).describe('The decision.'),
      reason: s.string().nullable().describe('Why it was denied, for people; null otherwise.'),
      policy: decidingRule
        .nullable()
        .describe('The rule that decided, as it was then; null where none is on record.'),
    })
    .describe('The recorded decision.'),
  draft: s
    .strictObject({
      outcome: signingOutcome.describe('The decision under the draft.'),
      reason: s.string().describe('The reason, for people.'),
      policy: decidingRule.nullable().describe('The rule that decides; null when none does.'),
      place: s
        .string()
        .optional()
        .describe(
          "Where that rule stands in the draft, e.g. `policies.0.rules.2`. Absent: it is none of the draft's.",
        ),
      has_limit: s
        .boolean()
        .describe('Whether the rule has a limit: it is taken to have room, as nobody counts here.'),
    })
    .nullable()
    .describe('Decision under the draft; null where it cannot be told.'),
});

export const backtest = s
  .strictObject({
    results: s
      .array(replayed)
      .describe('Request by request, in the order in which they were decided; see `show`.'),
    totals: s
      .strictObject({
        requests: s
          .int()
          .describe("Requests for the group's keys and wallets that this answer is about."),
        same: counted('have the same outcome'),
        newly_allowed: counted('were denied and pass under the draft'),
        newly_denied: counted('were allowed and are denied under the draft'),
        needs_approvals: counted('wait for approvals under the draft'),
        cannot_say: counted('are such that nobody can tell'),
        has_limit: counted('pass by a rule that has a limit, which is taken to have room'),
      })
      .describe('Of this answer alone: add up those of all answers to a period.'),
    next_cursor: s
      .string()
      .nullable()
      .describe('For the next answer; null where the period is at its end.'),
  })
  .meta({ id: 'Backtest' });
