/** Helpers for rows of waiting requests, for operations and the fold. */
import type { PendingRequest, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import type { Subject } from './ledger-operation.js';

/** Undecided requests, in no particular order. Their number is bounded, and small. */
export function openRequests({ pendingRequests }: VaultState): PendingRequest[] {
  const { rows, indexes } = pendingRequests;
  return [...indexes.open].flatMap((id) => rows.get(id) ?? []);
}

/** Ends the request so, and drops what would be needed to carry it out. */
export function closed(
  state: VaultState,
  row: PendingRequest,
  end: Pick<PendingRequest, 'status' | 'endedAt' | 'endedBy'> & Partial<PendingRequest>,
): VaultState {
  const ended = { ...row, ...end, call: null };
  return { ...state, pendingRequests: replaceRow(state.pendingRequests, ended) };
}

/** What an entry about a waiting request is about: a signature is found by its key and wallet, too. */
export function requestSubject(
  state: VaultState,
  { id, vaultIds, signing }: Pick<PendingRequest, 'id' | 'vaultIds' | 'signing'>,
): Subject {
  const subject = { resourceType: 'request', resourceIds: [id], vaultIds };
  if (signing === undefined) return subject;
  const wallet = state.wallets.rows.get(signing.walletId ?? '');
  return {
    ...subject,
    keyIds: [signing.keyId],
    ...(wallet !== undefined && { walletAddresses: [wallet.address] }),
  };
}
