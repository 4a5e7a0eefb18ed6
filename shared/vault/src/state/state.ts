/**
 * The vault state: everything that governs what may be signed, as folded from the ledger. Immutable: who holds a state
 * holds a consistent picture, whatever is folded after it.
 */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { Map, Set } from 'immutable';
import type { AddressList, Labels, SealedPart, Webhook } from './rows.js';
import { emptyTable, type Table } from './table.js';
import { EMPTY_TABLES, NO_REQUESTS_PENDING } from './tables.js';
import type { VaultState } from './vault-state.js';

export type { RuleConditions } from '@countersign/api/conditions/condition-forms.js';
export type * from './rows.js';
export type * from './vault-state.js';

/** Shared by all that have none, which are most keys. */
export const NO_LABELS: Labels = {};
export const NO_SEALED_PARTS: readonly SealedPart[] = [];

/** Two are needed, so that one party alone cannot stop all changes. */
const WITHDRAWALS_NEEDED = 2;

export const EMPTY_STATE: VaultState = {
  seq: 0,
  headHash: '00'.repeat(32),
  time: 0,
  vaultId: '',
  genesisHash: '',
  parties: [],
  evidenceKeys: [],
  importRecipients: [],
  ...EMPTY_TABLES,
  settings: { version: 1, testnetsEnabled: false, usdValueConditionsEnabled: false },
  frozenVenues: Map(),
  systemFreeze: null,
  nonces: Set(),
  pendingRequests: NO_REQUESTS_PENDING,
};

const NO_ADDRESS_LISTS = emptyTable<AddressList>();

export function addressListsOf({
  addressLists = NO_ADDRESS_LISTS,
}: Pick<VaultState, 'addressLists'>): Table<AddressList> {
  return addressLists;
}

const NO_WEBHOOKS = emptyTable<Webhook>();

export function webhooksOf({ webhooks = NO_WEBHOOKS }: VaultState): Table<Webhook> {
  return webhooks;
}

/** Whether every node may be expected to hold this evidence key. */
export function isDeclaredEvidenceKey(state: VaultState, keyId: string): boolean {
  const row = state.evidenceKeys.find(({ id }) => id === keyId);
  return row !== undefined && row.heldBy.length === PARTY_NUMBERS.length;
}

/** Whether two parties have said that they no longer trust this evidence key. */
export function isWithdrawnEvidenceKey(state: VaultState, keyId: string): boolean {
  const row = state.evidenceKeys.find(({ id }) => id === keyId);
  return row !== undefined && (row.withdrawnBy ?? []).length >= WITHDRAWALS_NEEDED;
}

/** Whether something new may be sealed under this evidence key. */
export function isUsableEvidenceKey(state: VaultState, keyId: string): boolean {
  return isDeclaredEvidenceKey(state, keyId) && !isWithdrawnEvidenceKey(state, keyId);
}
