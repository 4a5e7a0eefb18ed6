import type { FormerParty, PartyIdentity } from '@countersign/core/parties.js';
import type { VaultState } from './state.js';

type Parties = Pick<VaultState, 'parties' | 'formerParties'>;

/** The keys that parties have, and those that they had: the same list as long as no party is replaced. */
export function allPartiesOf(state: () => Parties): () => readonly (PartyIdentity | FormerParty)[] {
  let known: Parties | undefined;
  let all: readonly (PartyIdentity | FormerParty)[] = [];
  return () => {
    const { parties, formerParties } = state();
    if (known?.parties === parties && known.formerParties === formerParties) return all;
    known = { parties, ...(formerParties !== undefined && { formerParties }) };
    all = formerParties === undefined ? parties : [...parties, ...formerParties];
    return all;
  };
}
