import { refreshSharesRequest, replacePartyRequest } from '@countersign/api/requests/parties.js';
import { parseBase64, toHex } from '@countersign/core/bytes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { PARTY_NUMBERS, type PartyIdentity, type PartyNumber } from '@countersign/core/parties.js';
import { beginRefresh, isRefreshing } from '../state/share-refresh.js';
import type { VaultState } from '../state/state.js';
import { ledgerOperation } from './ledger-operation.js';
import { noSuchResource } from './lookups.js';

/**
 * Asks for other keys of a party. It changes nothing until the two other parties have confirmed them: see
 * `apply-successor.ts`. A later request takes the place of an earlier one, with what was confirmed of it.
 */
export const replaceParty = ledgerOperation({
  ...replacePartyRequest,
  duringSystemFreeze: true,
  apply(state, { params, body }, { entryHash }) {
    const party = PARTY_NUMBERS.find((one) => String(one) === params['party']);
    if (party === undefined) return noSuchResource(params['party']);
    const keys = {
      identityPublicKey: body.identity_public_key,
      exchangePublicKey: body.exchange_public_key,
    };
    const refused = refuseReusedKeys(state, keys) ?? refuseTwoAtOnce(state, party);
    if (refused !== undefined) return refused;
    const successor = { party, ...keys, requestHash: toHex(entryHash), confirmedBy: [] };
    return {
      state: { ...state, successor },
      subject: { resourceType: 'party', resourceIds: [`party_${party}`] },
    };
  },
});

/** Begins new shares for every key. 409 while keys wait for those of a refresh before it. */
export const refreshShares = ledgerOperation({
  ...refreshSharesRequest,
  duringSystemFreeze: true,
  apply(state, { body }) {
    const [first, second] = body.dealers;
    if (first === undefined || second === undefined || first >= second) {
      return refuse('invalid_inputs', 'dealers must be two parties, the lower number first');
    }
    if (isRefreshing(state)) {
      return refuse('resource_conflict', 'keys still wait for the shares of the refresh before');
    }
    return {
      state: beginRefresh(state, { dealers: [first, second], successor: null }),
      subject: { resourceType: 'shares', resourceIds: ['shares'] },
    };
  },
});

/**
 * While a new host waits for its shares, each key that it lacks is held by the two others alone: without another of
 * them it would be lost. The new host itself may be replaced.
 */
function refuseTwoAtOnce(state: VaultState, party: PartyNumber): Refusal | undefined {
  const waiting = state.refresh?.successor ?? null;
  return waiting !== null && waiting !== party && isRefreshing(state)
    ? refuse(
        'resource_conflict',
        `party ${waiting} still waits for its shares: another would be lost`,
      )
    : undefined;
}

/** Raw keys in base64, 32 bytes each, that are no party's and never were. */
function refuseReusedKeys(
  { parties, formerParties = [] }: VaultState,
  { identityPublicKey, exchangePublicKey }: Omit<PartyIdentity, 'party'>,
): Refusal | undefined {
  const [identity, exchange] = [identityPublicKey, exchangePublicKey].map(
    (text) => parseBase64(text)?.length,
  );
  if (identity !== 32 || exchange !== 32) {
    return refuse('invalid_inputs', 'a public key of a party is 32 bytes in base64');
  }
  const isUsed = [...parties, ...formerParties].some(
    (row) =>
      row.identityPublicKey === identityPublicKey || row.exchangePublicKey === exchangePublicKey,
  );
  return isUsed
    ? refuse('resource_conflict', 'these keys are, or were, those of a party')
    : undefined;
}
