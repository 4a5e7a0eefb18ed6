/**
 * Conditions of a signing rule that speak of a transaction: what it moves, to whom, and how much of the one asset that the
 * rule names.
 *
 * A rule that allows must cover everything that is moved; a rule that denies needs one of it. A transaction with a part
 * that the vault cannot read could move anything: no condition can be decided then, and that denies the whole request.
 */
import type { Movement, TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { Rule } from '../state/state.js';
import { amountMoved } from './moved-amounts.js';
import { isWithinBounds, type ConditionTest } from './rule-conditions.js';

const CONDITIONS = ['assets', 'destinations'] as const;

type TransactionCondition = (typeof CONDITIONS)[number];

/** Whether they hold. Whoever reads a rule that states none need not have read the transaction. */
export function testTransactionConditions(rule: Rule, facts: TransactionFacts): ConditionTest {
  for (const condition of CONDITIONS) {
    const tested = testCondition(rule, condition, facts);
    if (tested.result !== 'holds') return tested;
  }
  return testAmount(rule, facts);
}

function testAmount({ when }: Rule, facts: TransactionFacts): ConditionTest {
  const condition = 'amount';
  if (when.amount === undefined) return { result: 'holds' };
  const moved = amountMoved(when.assets, facts);
  if (moved.result === 'error') return { ...moved, condition };
  const holds = moved.result === 'moved' && isWithinBounds(when.amount, moved.amount);
  return holds ? { result: 'holds' } : { result: 'fails', condition };
}

function testCondition(
  { when, then }: Rule,
  condition: TransactionCondition,
  { movements, unread }: TransactionFacts,
): ConditionTest {
  const wanted = when[condition];
  if (wanted === undefined) return { result: 'holds' };
  if (unread !== undefined) return { result: 'error', condition, reason: unread };
  const names = movements.map((movement) => namesOf(movement, condition));
  const unknown = names.find((each) => each.length === 0);
  if (unknown !== undefined) {
    return {
      result: 'error',
      condition,
      reason: 'a token transfer does not say which token it moves',
    };
  }
  const isWanted = (each: readonly string[]) => each.some((name) => wanted.includes(name));
  const holds =
    names.length > 0 && (then === 'deny' ? names.some(isWanted) : names.every(isWanted));
  return holds ? { result: 'holds' } : { result: 'fails', condition };
}

function namesOf(movement: Movement, condition: TransactionCondition): readonly string[] {
  return condition === 'assets' ? movement.assets : [movement.destination];
}
