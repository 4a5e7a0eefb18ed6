import type * as s from '@countersign/core/shapes.js';
import type { partiesView as schema } from '@countersign/api/parties-schema.js';
import type { PartyIdentity } from '@countersign/core/parties.js';
import { Set } from 'immutable';
import { hasShares } from '../state/share-refresh.js';
import type { Key, VaultState } from '../state/state.js';

export function partiesView(state: VaultState): s.InputOf<typeof schema> {
  const { parties, formerParties = [], successor, refresh } = state;
  return {
    parties: parties.map(identityView),
    former: formerParties.map((row) => ({ ...identityView(row), until_seq: row.until })),
    successor:
      successor === undefined
        ? null
        : {
            ...identityView(successor),
            request_hash: successor.requestHash,
            confirmed_by: [...successor.confirmedBy],
          },
    refresh:
      refresh === undefined
        ? null
        : {
            number: refresh.number,
            dealers: [...refresh.dealers],
            successor: refresh.successor,
            keys_left: keysWithoutNewShares(state).length,
          },
  };
}

function identityView({ party, identityPublicKey, exchangePublicKey }: PartyIdentity) {
  return {
    party,
    identity_public_key: identityPublicKey,
    exchange_public_key: exchangePublicKey,
  };
}

/** Keys that wait for new shares, in no order. */
export function keysWithoutNewShares(state: VaultState): Key[] {
  const { keysToRefresh = Set<string>() } = state;
  return keysToRefresh.toArray().flatMap((id) => {
    const key = state.keys.rows.get(id);
    return key !== undefined && hasShares(key) ? [key] : [];
  });
}
