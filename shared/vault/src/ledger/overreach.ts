/** Refuses what no accepted entry may do, whoever made it. */
import type { Refusal } from '@countersign/core/errors.js';
import { refuseTakeover } from '../operations/user-rights.js';
import type { VaultState } from '../state/state.js';
import type { EntryFacts } from './entry-outcome.js';
import { refuseRebirth } from './key-rebirth.js';

/** A key does not come back as another key. Managing users does not let one sign, or take rights from who has more. */
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
