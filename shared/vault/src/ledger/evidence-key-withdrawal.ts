/** Withdraws a stolen evidence key: two parties say that they no longer trust it. */
import { refuse, type Refusal } from '@countersign/core/errors.js';
import {
  evidenceKeyIdOf,
  evidenceKeyWithdrawalMessage,
  KEY_ID_BYTES,
} from '@countersign/core/evidence-seal.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  isDeclaredEvidenceKey,
  isUsableEvidenceKey,
  isWithdrawnEvidenceKey,
  type VaultState,
} from '../state/state.js';
import type { StatementOf } from './entry.js';
import type { LoggedRequest } from './entry-types.js';
import { isSignedByParty } from './party-statement.js';

export function applyWithdrawal(
  state: VaultState,
  fact: StatementOf<'evidence-key-withdrawal'>,
): VaultState | Refusal {
  const { party, evidenceKeyId } = fact;
  const message = evidenceKeyWithdrawalMessage(fact, state.genesisHash);
  if (!isSignedByParty(state.parties, party, message, fact.signature)) {
    return refuse('unauthorized', 'the withdrawal is not signed by that party');
  }
  const refusal = refuseWithdrawal(state, party, evidenceKeyId);
  if (refusal !== undefined) return refusal;
  const evidenceKeys = state.evidenceKeys.map((row) => {
    if (row.id !== evidenceKeyId) return row;
    const said = [...(row.withdrawnBy ?? []), party];
    return { ...row, withdrawnBy: PARTY_NUMBERS.filter((one) => said.includes(one)) };
  });
  return { ...state, evidenceKeys };
}

/**
 * Why a party cannot withdraw an evidence key, or undefined if it can. Each party has one statement for each declared
 * key. One key always stays: without any, nothing could be changed, and no new key could come into use.
 */
export function refuseWithdrawal(
  state: VaultState,
  party: PartyNumber,
  keyId: string,
): Refusal | undefined {
  if (!isDeclaredEvidenceKey(state, keyId)) {
    return refuse('resource_not_found', 'no such evidence key is declared');
  }
  if (isWithdrawnEvidenceKey(state, keyId)) {
    return refuse('resource_conflict', 'the evidence key is withdrawn');
  }
  const row = state.evidenceKeys.find(({ id }) => id === keyId);
  if (row?.withdrawnBy?.includes(party) === true) {
    return refuse('resource_conflict', 'the party has withdrawn that evidence key');
  }
  const isOtherUsable = state.evidenceKeys.some(
    ({ id }) => id !== keyId && isUsableEvidenceKey(state, id),
  );
  return isOtherUsable
    ? undefined
    : refuse('resource_conflict', 'the last evidence key cannot be withdrawn');
}

/** Refuses whatever the request is, because whoever has the key knows the credential in it. */
export function refuseWithdrawnSeal(
  state: VaultState,
  { sealedCredential }: Pick<LoggedRequest, 'sealedCredential'>,
): Refusal | undefined {
  // a text too short to name a key is refused elsewhere for that
  if (sealedCredential.length < KEY_ID_BYTES) return undefined;
  return isWithdrawnEvidenceKey(state, evidenceKeyIdOf(sealedCredential))
    ? refuse('unauthorized', 'sealed under an evidence key that was withdrawn')
    : undefined;
}
