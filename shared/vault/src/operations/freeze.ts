/**
 * Freezing at six scopes. Each scope has a freeze and an unfreeze operation that differ only in what they write.
 * Freezing again is no error: it changes no row, and ends unfreezings that wait.
 */
import type * as s from '@countersign/core/shapes.js';
import type { ApiRequest, nothing } from '@countersign/api/requests/api-request.js';
import {
  type freezeBody,
  freezeKeysRequest,
  freezeSystemRequest,
  freezeUsersRequest,
  freezeVaultsRequest,
  freezeWalletsRequest,
  unfreezeKeysRequest,
  unfreezeSystemRequest,
  unfreezeUsersRequest,
  unfreezeVaultsRequest,
  unfreezeWalletsRequest,
} from '@countersign/api/requests/freezing.js';
import type { freezeKeysQuery } from '@countersign/api/requests/keys.js';
import type { userIdsQuery } from '@countersign/api/requests/users.js';
import type { addressesQuery, vaultIdsQuery } from '@countersign/api/requests/vaults.js';
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
import type { Subject } from './ledger-operation.js';
import { walletSubject } from './wallets.js';

interface Scope<Query extends s.AnyShape> {
  readonly freeze: FreezeRequest<Query>;
  readonly unfreeze: FreezeRequest<Query>;
  readonly affectsAdministrators?: boolean;
  vaultIds?(state: VaultState, input: Input<s.OutputOf<Query>, unknown>): readonly string[];
  set(
    state: VaultState,
    input: Input<s.OutputOf<Query>, unknown>,
    change: FreezeChange,
  ): Applied | Refusal;
}

interface FreezeChange {
  /** null lifts it. */
  readonly freeze: Freeze | null;
  /** Further changes of a row that is frozen or unfrozen. */
  updated(row: FreezableRow): object;
}

type FreezableRow = Pick<Stamps, 'lastUpdatedAt'> & {
  readonly id: string;
  readonly frozen: Freeze | null;
  readonly version?: number;
};

function countAsUpdate({ version }: FreezableRow, context: ApplyContext): object {
  return { ...(version !== undefined && { version: version + 1 }), ...updatedStamps(context) };
}

type FreezeRequest<Query extends s.AnyShape> = ApiRequest<
  string,
  'POST',
  string,
  'freeze' | 'unfreeze',
  Query,
  typeof freezeBody
>;

function freezePair<Query extends s.AnyShape>(scope: Scope<Query>): LedgerOperation[] {
  return [scope.freeze, scope.unfreeze].map((description) => {
    const isFreeze = description.action === 'freeze';
    return ledgerOperation({
      ...description,
      duringSystemFreeze: true,
      affectsAdministrators: isFreeze && scope.affectsAdministrators === true,
      ...(scope.vaultIds !== undefined && { vaultIds: scope.vaultIds }),
      apply: (state, input, context) =>
        scope.set(state, input, {
          freeze: isFreeze
            ? { at: context.at, by: context.actor.id, reason: input.body.reason ?? null }
            : null,
          updated: (row) => countAsUpdate(row, context),
        }),
    });
  });
}

/** A second freeze keeps the first one's time and author. Thawing what is not frozen changes nothing either. */
function setFrozen<Row extends FreezableRow, Indexes extends object>(
  table: Table<Row, Indexes>,
  rows: readonly Row[],
  { freeze, updated }: FreezeChange,
): Table<Row, Indexes> {
  return rows.reduce(
    (current, row) =>
      (freeze === null) === (row.frozen === null)
        ? current
        : replaceRow(current, { ...row, frozen: freeze, ...updated(row) }),
    table,
  );
}

const users: Scope<typeof userIdsQuery> = {
  freeze: freezeUsersRequest,
  unfreeze: unfreezeUsersRequest,
  affectsAdministrators: true,
  set(state, { query }, change) {
    const rows = findRows(state.users, query.user_ids);
    if (isRefusal(rows)) return rows;
    const ids = rows.map((row) => row.id);
    return {
      state: { ...state, users: setFrozen(state.users, rows, change) },
      subject: { resourceType: 'user', resourceIds: ids, userIds: ids },
    };
  },
};

const keys: Scope<typeof freezeKeysQuery> = {
  freeze: freezeKeysRequest,
  unfreeze: unfreezeKeysRequest,
  set(state, { query }, change) {
    if (query.venue_id !== undefined) {
      return setVenue(state, query.venue_id, change.freeze);
    }
    const rows = findRows(state.keys, query.key_ids ?? []);
    if (isRefusal(rows)) return rows;
    const ids = rows.map((row) => row.id);
    return {
      state: { ...state, keys: setFrozen(state.keys, rows, change) },
      subject: { resourceType: 'key', resourceIds: ids, keyIds: ids },
    };
  },
};

/** A venue may be frozen before any key names it; keys made later are frozen too. */
function setVenue(state: VaultState, venueId: string, freeze: Freeze | null): Applied {
  const frozenVenues =
    freeze === null
      ? state.frozenVenues.delete(venueId)
      : state.frozenVenues.set(venueId, state.frozenVenues.get(venueId) ?? freeze);
  return {
    state: { ...state, frozenVenues },
    subject: { resourceType: 'venue', resourceIds: [venueId] },
  };
}

const vaults: Scope<typeof vaultIdsQuery> = {
  freeze: freezeVaultsRequest,
  unfreeze: unfreezeVaultsRequest,
  vaultIds: (_state, { query }) => query.vault_ids,
  set(state, { query }, change) {
    const rows = findRows(state.vaults, query.vault_ids);
    if (isRefusal(rows)) return rows;
    const ids = rows.map((row) => row.id);
    return {
      state: { ...state, vaults: setFrozen(state.vaults, rows, change) },
      subject: { resourceType: 'vault', resourceIds: ids, vaultIds: ids },
    };
  },
};

const wallets: Scope<typeof addressesQuery> = {
  freeze: freezeWalletsRequest,
  unfreeze: unfreezeWalletsRequest,
  vaultIds: (_state, { params }) => [params['vault_id'] ?? ''],
  set(state, { params, query }, change) {
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
  },
};

const system: Scope<typeof nothing> = {
  freeze: freezeSystemRequest,
  unfreeze: unfreezeSystemRequest,
  set: (state, _input, { freeze }) => ({
    state: { ...state, systemFreeze: freeze === null ? null : (state.systemFreeze ?? freeze) },
    subject: { resourceType: 'system', resourceIds: ['system'] } satisfies Subject,
  }),
};

/** Freeze and unfreeze of users, keys and venues, vaults, wallets, and of the whole system. */
export const freezeOperations: readonly LedgerOperation[] = [
  ...freezePair(users),
  ...freezePair(keys),
  ...freezePair(vaults),
  ...freezePair(wallets),
  ...freezePair(system),
];
