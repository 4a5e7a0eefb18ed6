/**
 * A lost party's number gets other keys. Officers ask for it by a request (`replace-party`). The operators of the two
 * other parties compare the new keys with those on the new host, and confirm them. So neither whoever holds the
 * officers' rights nor one operator can put a host of their own in a party's place.
 */
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { PARTY_NUMBERS, type PartyIdentity, type PartyNumber } from '@countersign/core/parties.js';
import {
  successorMessage,
  type SuccessorConfirmation,
} from '@countersign/core/party-statements.js';
import { beginRefresh } from '../state/share-refresh.js';
import type { Key, Successor, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import type { StatementOf } from './entry.js';
import type { Moment } from './judging.js';
import { isSignedByParty } from './party-statement.js';

/** `moment`: its place is that from which on the new keys are the party's. */
export function applySuccessor(
  state: VaultState,
  fact: StatementOf<'successor'>,
  moment: Pick<Moment, 'at' | 'place'>,
): VaultState | Refusal {
  const { successor } = state;
  if (successor === undefined || !isConfirmed(successor, fact)) {
    return refuse('resource_conflict', 'nobody asked for that replacement');
  }
  if (fact.party === fact.replaced) {
    return refuse('invalid_inputs', 'a party does not confirm its own replacement');
  }
  const message = successorMessage(fact, state.genesisHash);
  if (!isSignedByParty(state.parties, fact.party, message, fact.signature)) {
    return refuse('unauthorized', 'the confirmation is not signed by that party');
  }
  if (successor.confirmedBy.includes(fact.party)) {
    return refuse('resource_conflict', 'the party has confirmed it');
  }
  const confirmedBy = othersThan(successor.party).filter(
    (one) => one === fact.party || successor.confirmedBy.includes(one),
  );
  return confirmedBy.length < 2
    ? { ...state, successor: { ...successor, confirmedBy } }
    : replaceParty(state, successor, moment);
}

function isConfirmed(successor: Successor, fact: SuccessorConfirmation): boolean {
  return (
    successor.party === fact.replaced &&
    successor.identityPublicKey === toBase64(fact.identityPublicKey) &&
    successor.exchangePublicKey === toBase64(fact.exchangePublicKey) &&
    successor.requestHash === toHex(fact.requestHash)
  );
}

function othersThan(party: PartyNumber): PartyNumber[] {
  return PARTY_NUMBERS.filter((one) => one !== party);
}

/** What rested on the old party's secrets goes with them, and every key gets new shares. */
function replaceParty(
  before: VaultState,
  successor: Successor,
  { at: replacedAt, place: until }: Pick<Moment, 'at' | 'place'>,
): VaultState {
  const { successor: _done, ...state } = before;
  const { party, identityPublicKey, exchangePublicKey } = successor;
  const present = { party, identityPublicKey, exchangePublicKey };
  const old = before.parties.find((row) => row.party === party)!;
  const [first, second] = othersThan(party);
  return beginRefresh(
    {
      ...state,
      parties: before.parties.map((row): PartyIdentity => (row.party === party ? present : row)),
      formerParties: [...(before.formerParties ?? []), { ...old, until, replacedAt }],
      importRecipients: before.importRecipients.filter((row) => row.party !== party),
      evidenceKeys: withoutUndeclaredOf(before, party),
      keys: withoutAttestations(before),
    },
    { dealers: [first!, second!], successor: party },
  );
}

/** The new host says anew which keys it holds; a key that all three held stays declared. */
function withoutUndeclaredOf({ evidenceKeys }: VaultState, party: PartyNumber) {
  return evidenceKeys.flatMap((row) => {
    if (row.heldBy.length === PARTY_NUMBERS.length) return [row];
    const heldBy = row.heldBy.filter((one) => one !== party);
    return heldBy.length === 0 ? [] : [{ ...row, heldBy }];
  });
}

/** A key that is being made needs three shares that are there: its run begins again. */
function withoutAttestations({ keys }: VaultState): VaultState['keys'] {
  return keys.indexes.pending.reduce((table, id) => {
    const key: Key = table.rows.get(id)!;
    return key.attestations.length === 0 ? table : replaceRow(table, { ...key, attestations: [] });
  }, keys);
}
