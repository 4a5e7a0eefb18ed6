/**
 * Tests the conditions of a signing rule one after the other: the first that fails, or that nobody can tell, decides.
 * Each condition has its own file (`shared/api/src/conditions`).
 */
import type {
  Asked,
  AskedRequest,
  Condition,
  ConditionedRule,
  ContentKind,
  Tested,
} from '@countersign/api/conditions/condition.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import { wantedBy } from '@countersign/api/conditions/condition-forms.js';
import { canHoldOf, lastAtVenues } from '@countersign/api/conditions/compared-conditions.js';
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { Rule } from '../state/state.js';
import { localTimeIn } from './local-time.js';
import { amountMoved } from './moved-amounts.js';
import type { UsdValue } from './usd-value.js';

/** The result of one condition or of several: the first that fails or cannot be told. */
export type ConditionTest =
  | { readonly result: 'holds' }
  | { readonly result: 'fails'; readonly condition: string }
  | { readonly result: 'error'; readonly condition: string; readonly reason: string };

const HOLDS = { result: 'holds' } as const;

type Kind = ContentKind | 'bytes';

const CONTENT = inTurn('content');
const isOfTransactions = (condition: Condition) => canHoldOf(condition, 'transaction');

/** The order of testing. A transaction's conditions come before those of venue requests alone. */
const ORDERS: Readonly<Record<Kind, readonly Condition[]>> = {
  transaction: [
    ...CONTENT.filter(isOfTransactions),
    ...CONTENT.filter((condition) => !isOfTransactions(condition)),
  ],
  venue_request: lastAtVenues(CONTENT),
  bytes: CONTENT,
};
const BEFORE_READING = [...inTurn('standing'), ...inTurn('moment')];
const WORTH = inTurn('worth');

function inTurn(turn: Condition['turn']): readonly Condition[] {
  return CONDITIONS.filter((condition) => condition.turn === turn);
}

/** The parts of a request that conditions look at. */
export interface ReadRequest extends AskedRequest {
  /** Absent unless the request is a transaction. */
  readonly transaction?: TransactionFacts | undefined;
  /** When the gateway received the request, ms since the Unix epoch. */
  readonly receivedAt: number;
}

/** The request as conditions see it. `worth` gives its worth in US dollars. */
export function askedOf(
  facts: ReadRequest,
  worth: () => UsdValue,
  addressesIn: Asked['addressesIn'],
): Asked {
  return {
    request: facts,
    worth,
    addressesIn,
    localTimeIn: (zone) => localTimeIn(zone, facts.receivedAt),
    moved: (assets) =>
      facts.transaction === undefined ? { result: 'none' } : amountMoved(assets, facts.transaction),
  };
}

/** Tests all conditions but those that take prices or count. */
export function testConditions(rule: Rule, asked: Asked): ConditionTest {
  const tested = firstNotHeld(BEFORE_READING, rule, (condition, wanted) =>
    condition.test!(wanted, asked, rule),
  );
  return tested.result === 'holds' ? testContent(rule, asked) : tested;
}

export function testContent(rule: Rule, asked: Asked): ConditionTest {
  const { transaction, venue } = asked.request;
  if (transaction !== undefined) return testKind('transaction', rule, asked);
  return testKind(venue === undefined ? 'bytes' : 'venue_request', rule, asked);
}

/**
 * A condition on what the venue's signature does not bind cannot be told. One on what such a request cannot have
 * fails.
 */
function testKind(kind: Kind, rule: Rule, asked: Asked): ConditionTest {
  const content = kind === 'bytes' ? undefined : kind;
  return firstNotHeld(ORDERS[kind], rule, (condition, wanted) => {
    if (!canHoldOf(condition, content)) {
      return isStatedBy(rule, condition) ? { result: 'fails' } : HOLDS;
    }
    const reason = unbindable(condition, wanted, asked.request.venue);
    return reason === undefined
      ? condition.test!(wanted, asked, rule)
      : { result: 'error', reason };
  });
}

/** Tests a rule that is decided by prices. */
export function testWorth(rule: Rule, asked: Asked): ConditionTest {
  return firstNotHeld(WORTH, rule, (condition, wanted) => condition.test!(wanted, asked, rule));
}

function firstNotHeld(
  conditions: readonly Condition[],
  rule: Rule,
  test: (condition: Condition, wanted: unknown) => Tested,
): ConditionTest {
  for (const condition of conditions) {
    const wanted = wantedBy(rule, condition);
    if (wanted === undefined) continue;
    const tested = test(condition, wanted);
    if (tested.result !== 'holds') return { condition: condition.name, ...tested };
  }
  return HOLDS;
}

function isStatedBy({ when }: ConditionedRule, { field }: Condition): boolean {
  return when[field] !== undefined;
}

function unbindable(
  condition: Condition,
  wanted: unknown,
  venue: VenueFacts | undefined,
): string | undefined {
  if (venue === undefined) return undefined;
  const at = findVenue(venue.venueId);
  return condition
    .parts?.(wanted)
    .map((part) => at?.unbindable(part))
    .find((reason) => reason !== undefined);
}
