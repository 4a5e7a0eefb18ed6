/**
 * Freezing at six scopes. Each scope has a freeze and an unfreeze operation that differ only in what they write.
 * Freezing again is no error: it changes no row, and ends unfreezings that wait.
 */
import type * as s from '@countersign/core/shapes.js';
import type { ApiRequest } from '@countersign/api/requests/api-request.js';
import { FREEZING, type freezeBody } from '@countersign/api/requests/freezing.js';
import type { addressesQuery } from '@countersign/api/requests/vaults.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Freeze, Stamps, VaultState } from '../state/state.js';
import { replaceRow, type Table } from '../state/table.js';
import { findRows, findWallet, updatedStamps } from './lookups.js';
import {
  ledgerOperation,
  type ApplyContext,
  type Applied,
  type LedgerOperation,
} from './ledger-operation.js';
import type { Input } from './operation-input.js';
import { walletSubject } from './wallets.js';

type FreezeRequest<Query extends s.AnyShape> = ApiRequest<
  string,
  'POST',
  string,
  'freeze' | 'unfreeze',
  Query,
  typeof freezeBody
>;

interface FreezeChange {
  /** null lifts it. */
  readonly freeze: Freeze | null;
  readonly context: ApplyContext;
}

type FreezableRow = Stamps & {
  readonly id: string;
  readonly frozen: Freeze | null;
  readonly version?: number;
};

/** `set` writes the freeze, or null, into what the request names. */
function freezePair<Query extends s.AnyShape>(
  pair: Readonly<Record<'freeze' | 'unfreeze', FreezeRequest<Query>>>,
  set: (
    state: VaultState,
    input: Input<s.OutputOf<Query>, unknown>,
    change: FreezeChange,
  ) => Applied | Refusal,
  vaultIds?: LedgerOperation<Query>['vaultIds'],
): LedgerOperation[] {
  return Object.values(pair).map((description) =>
    ledgerOperation({
      ...description,
      duringSystemFreeze: true,
      affectsAdministrators: description.id === FREEZING.users.freeze.id,
      ...(vaultIds !== undefined && { vaultIds }),
      apply(state, input, context) {
        const freeze = { at: context.at, by: context.actor.id, reason: input.body.reason ?? null };
        return set(state, input, {
          freeze: description.action === 'freeze' ? freeze : null,
          context,
        });
      },
    }),
  );
}

/** A second freeze keeps the first one's time and author. Thawing what is not frozen changes nothing either. */
function setFrozen<Row extends FreezableRow, Indexes extends object>(
  table: Table<Row, Indexes>,
  rows: readonly Row[],
  { freeze, context }: FreezeChange,
): Table<Row, Indexes> {
  return rows
    .filter(({ frozen }) => (freeze === null) !== (frozen === null))
    .reduce((current, row) => {
      const next = row.version === undefined ? {} : { version: row.version + 1 };
      return replaceRow(current, { ...row, frozen: freeze, ...next, ...updatedStamps(context) });
    }, table);
}

/** Freezes rows of one table, found by their ids. */
function setRows<Name extends 'users' | 'keys' | 'vaults'>(
  state: VaultState,
  name: Name,
  ids: readonly string[],
  change: FreezeChange,
): Applied | Refusal {
  const table = state[name] as unknown as Table<FreezableRow>;
  const rows = findRows(table, ids);
  if (isRefusal(rows)) return rows;
  const resourceIds = rows.map((row) => row.id);
  const resourceType = name.slice(0, -1);
  return {
    state: { ...state, [name]: setFrozen(table, rows, change) },
    subject: { resourceType, resourceIds, [`${resourceType}Ids`]: resourceIds },
  };
}

/** A venue may be frozen before any key names it; keys made later are frozen too. */
function setVenue(state: VaultState, venueId: string, { freeze }: FreezeChange): Applied {
  const { frozenVenues: venues } = state;
  const frozenVenues =
    freeze === null ? venues.delete(venueId) : venues.set(venueId, venues.get(venueId) ?? freeze);
  return {
    state: { ...state, frozenVenues },
    subject: { resourceType: 'venue', resourceIds: [venueId] },
  };
}

function setWallets(
  state: VaultState,
  { params, query }: Input<s.OutputOf<typeof addressesQuery>, unknown>,
  change: FreezeChange,
): Applied | Refusal {
  const rows = [];
  for (const address of new Set(query.addresses)) {
    const row = findWallet(state, params['vault_id'], address);
    if (isRefusal(row)) return row;
    rows.push(row);
  }
  return {
    state: { ...state, wallets: setFrozen(state.wallets, rows, change) },
    subject: walletSubject(rows),
  };
}

/** Freeze and unfreeze of users, keys and venues, vaults, wallets, and of the whole system. */
export const freezeOperations: readonly LedgerOperation[] = [
  ...freezePair(FREEZING.users, (state, { query }, change) =>
    setRows(state, 'users', query.user_ids, change),
  ),
  ...freezePair(FREEZING.keys, (state, { query }, change) =>
    query.venue_id === undefined
      ? setRows(state, 'keys', query.key_ids ?? [], change)
      : setVenue(state, query.venue_id, change),
  ),
  ...freezePair(
    FREEZING.vaults,
    (state, { query }, change) => setRows(state, 'vaults', query.vault_ids, change),
    (_state, { query }) => query.vault_ids,
  ),
  ...freezePair(FREEZING.wallets, setWallets, (_state, { params }) => [params['vault_id'] ?? '']),
  ...freezePair(FREEZING.system, (state, _input, { freeze }) => ({
    state: { ...state, systemFreeze: freeze === null ? null : (state.systemFreeze ?? freeze) },
    subject: { resourceType: 'system', resourceIds: ['system'] },
  })),
];
