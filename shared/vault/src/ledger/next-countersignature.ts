/** Decides when the primary replica of a party countersigns, and what, from its fold and its clock alone. */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Countersignature } from '@countersign/core/party-statements.js';
import type { LedgerView } from './fold.js';
import { nextDueAt } from './waiting-rows.js';
import { AGREEMENT_MS, areAgreed } from './party-statement.js';

export interface Speaker {
  readonly party: PartyNumber;
  /** The newest version of the rules that its release has. */
  readonly newestRules: number;
  /** Its newest statement, as far as the ledger or it itself knows. */
  readonly spoken: Countersignature | undefined;
}

/**
 * The statement that is due for the head of the fold, or undefined. None is due while nothing waits. If something
 * waits, or has come due, one is enough. Another is due only if it can agree with another party's statement and the
 * old one cannot.
 */
export function nextCountersignature(
  view: LedgerView,
  { party, newestRules, spoken }: Speaker,
  now: number,
): Countersignature | undefined {
  const { pending, state } = view;
  const newest = pending.at(-1);
  const dueAt = nextDueAt(state);
  const isDue = dueAt !== undefined && dueAt <= now;
  if (newest === undefined && !isDue) return undefined;
  const rules = rulesToName(view, party, newestRules);
  const hash = Buffer.from(state.headHash, 'hex');
  const statement: Countersignature = { party, seq: state.seq, hash, at: now, rules, newestRules };
  if (spoken === undefined || spoken.seq < (newest?.seq ?? 0)) return statement;
  if (isDue && spoken.at < dueAt) return statement;
  return isOvertaken(view, spoken, statement) ? statement : undefined;
}

function isOvertaken(
  { pending, countersignatures }: LedgerView,
  spoken: Countersignature,
  statement: Countersignature,
): boolean {
  // a change that has come due needs no place in the log
  const oldestSeq = pending[0]?.seq ?? 0;
  return [...countersignatures.values()].some(
    (other) =>
      other.party !== statement.party &&
      other.seq >= oldestSeq &&
      Math.abs(other.at - statement.at) <= AGREEMENT_MS &&
      other.rules === statement.rules &&
      !areAgreed(other, spoken),
  );
}

/**
 * The newest version that all three parties have said they know: a release that lacks it would stop. Gateways are
 * brought up before parties for the same reason.
 */
function rulesToName(
  { countersignatures, rules }: LedgerView,
  party: PartyNumber,
  newestRules: number,
): number {
  const known = PARTY_NUMBERS.map((one) =>
    one === party ? newestRules : (countersignatures.get(one)?.newestRules ?? rules),
  );
  return Math.max(rules, Math.min(...known));
}
