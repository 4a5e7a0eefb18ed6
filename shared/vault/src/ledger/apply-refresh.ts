/** Folds what parties say of new shares. A key goes over to them once all three hold those of one run. */
import { ceremonyHashOf } from '@countersign/core/attestation.js';
import { toHex } from '@countersign/core/bytes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { refreshMessage } from '@countersign/core/party-statements.js';
import { Map, Set } from 'immutable';
import { waitsForShares } from '../state/share-refresh.js';
import type { RefreshedShare, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import type { StatementOf } from './entry.js';
import { isSignedByParty } from './party-statement.js';

/** Keys that wait for no new shares are passed over: they have gone, or are complete. */
export function applyRefresh(
  state: VaultState,
  fact: StatementOf<'refresh'>,
): VaultState | Refusal {
  const refused = refuseRefresh(state, fact);
  if (refused !== undefined) return refused;
  let next = state;
  for (const { keyId, session, transcriptHash } of fact.keys) {
    if (!waitsForShares(next, keyId)) continue;
    const ceremonyHash = toHex(ceremonyHashOf(session, transcriptHash));
    next = noteShare(next, keyId, { party: fact.party, session, ceremonyHash });
  }
  return next === state
    ? refuse('resource_conflict', 'none of the keys waits for new shares')
    : next;
}

function refuseRefresh(state: VaultState, fact: StatementOf<'refresh'>): Refusal | undefined {
  if (state.refresh?.number !== fact.refresh) {
    return refuse('resource_conflict', 'the statement is about another refresh');
  }
  const message = refreshMessage(fact, state.genesisHash);
  return isSignedByParty(state.parties, fact.party, message, fact.signature)
    ? undefined
    : refuse('unauthorized', 'the statement is not signed by that party');
}

/** A party's later run takes the place of its earlier one, as a run that was broken off is followed by another. */
function noteShare(state: VaultState, keyId: string, share: RefreshedShare): VaultState {
  const { refreshedBy = Map<string, readonly RefreshedShare[]>() } = state;
  const others = (refreshedBy.get(keyId) ?? []).filter(({ party }) => party !== share.party);
  const shares = [...others, share];
  const isComplete =
    shares.length === 3 && shares.every((one) => one.ceremonyHash === share.ceremonyHash);
  if (!isComplete) return { ...state, refreshedBy: refreshedBy.set(keyId, shares) };
  const { keysToRefresh = Set<string>() } = state;
  const key = state.keys.rows.get(keyId)!;
  return {
    ...state,
    keys: replaceRow(state.keys, { ...key, session: share.session }),
    keysToRefresh: keysToRefresh.delete(keyId),
    refreshedBy: refreshedBy.delete(keyId),
  };
}
