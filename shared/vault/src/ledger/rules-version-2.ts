/**
 * The second rules: the first, and of what the first accept three things are refused. A key that is or was another
 * key does not come back, managing users is no way to sign or to take rights from somebody who has more, and what is
 * sealed under an evidence key that two parties withdrew does not count.
 */
import type { Refusal } from '@countersign/core/errors.js';
import { refuseTakeover } from '../operations/user-standing.js';
import type { VaultState } from '../state/state.js';
import type { EntryFacts } from './entry-outcome.js';
import { judgeWithdrawal, refuseWithdrawnSeal } from './evidence-key-withdrawal.js';
import type { Judgement, Rules } from './judging.js';
import { refuseRebirth } from './key-rebirth.js';
import { rulesVersion1 } from './rules-version-1.js';

export const rulesVersion2: Rules = {
  version: 2,
  operations: rulesVersion1.operations,
  judge: judgeOver(rulesVersion1.judge),
};

/** What the second rules refuse beside what `judge` does. */
export function judgeOver(judge: Rules['judge']): Rules['judge'] {
  return (state, entry, moment) => {
    const { content, request } = entry;
    if (content.kind === 'evidence-key-withdrawal') {
      return judgeWithdrawal(state, content.withdrawal);
    }
    const withdrawn = request && refuseWithdrawnSeal(state, request);
    if (withdrawn !== undefined) return { facts: { refusal: withdrawn } };
    const judgement = judge(state, entry, moment);
    const { state: after, facts } = judgement;
    if (after === undefined) return judgement;
    const refusal = refuseOverreach(state, after, facts);
    return refusal === undefined ? judgement : refused(facts, refusal);
  };
}

/** What an accepted entry must not come to, whoever made it. */
export function refuseOverreach(
  before: VaultState,
  after: VaultState,
  facts: Pick<EntryFacts, 'actorId' | 'subject'>,
): Refusal | undefined {
  return (
    refuseRebirth(before, after, facts.subject?.keyIds ?? []) ??
    refuseTakeovers(before, after, facts)
  );
}

/** An accepted request names every user that it changes. Parties, which are no users, change none. */
function refuseTakeovers(
  before: VaultState,
  after: VaultState,
  { actorId, subject }: Pick<EntryFacts, 'actorId' | 'subject'>,
): Refusal | undefined {
  const actor = before.users.rows.get(actorId ?? '');
  if (actor === undefined) return undefined;
  for (const id of subject?.userIds ?? []) {
    const [was, is] = [before, after].map(({ users }) => users.rows.get(id));
    const refusal = refuseTakeover(before, actor, was, is);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** As the first rules leave a refusal: what a request was about is told of accepted ones alone. */
export function refused(facts: EntryFacts, refusal: Refusal): Judgement {
  const { subject, policy: _allowedBy, ...known } = facts;
  const isRequest = facts.operation !== undefined;
  return { facts: { ...known, refusal, ...(!isRequest && { subject }) } };
}
