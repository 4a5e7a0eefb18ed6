import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import type { Stamps, VaultState, Wallet } from '../state/state.js';
import { walletAddressKey } from '../state/tables.js';
import type { Table } from '../state/table.js';
import type { ApplyContext } from './ledger-operation.js';
import type { Map } from 'immutable';

/**
 * 404: an unknown id and an invisible one read the same. Ids are compared exactly everywhere; for one in upper case,
 * the text says why it names nothing.
 */
export function noSuchResource(id: string | undefined): Refusal {
  const isOtherCase =
    id !== undefined && !UUID_PATTERN.test(id) && UUID_PATTERN.test(id.toLowerCase());
  const why = isOtherCase ? ': ids are UUIDs in lower case' : '';
  return refuse('resource_not_found', `no such resource${why}`);
}

/** The row, or 404. */
export function findRow<Row extends { readonly id: string }>(
  table: Table<Row>,
  id: string | undefined,
): Row | Refusal {
  return table.rows.get(id ?? '') ?? noSuchResource(id);
}

/** All of the rows, or 404 when one of them is unknown. */
export function findRows<Row extends { readonly id: string }>(
  table: Table<Row>,
  ids: readonly string[],
): Row[] | Refusal {
  const rows = [...new Set(ids)].map((id) => table.rows.get(id));
  return rows.includes(undefined)
    ? refuse('resource_not_found', 'no such resource')
    : (rows as Row[]);
}

/** The wallet with this address in this vault, or 404. An address is unique within its vault only. */
export function findWallet(
  state: VaultState,
  vaultId: string | undefined,
  address: string | undefined,
): Wallet | Refusal {
  const key = walletAddressKey(vaultId ?? '', address ?? '');
  const id = state.wallets.indexes.byAddress.get(key);
  return id === undefined ? noSuchResource(vaultId) : findRow(state.wallets, id);
}

/** 422 unless every id is in the table. */
export function requireKnown(
  table: Table<{ readonly id: string }>,
  ids: readonly string[],
  what: string,
): Refusal | undefined {
  return ids.every((id) => table.rows.has(id))
    ? undefined
    : refuse('invalid_inputs', `names an unknown ${what}`);
}

/** Who made a row, and when (ms). */
export function newStamps(context: ApplyContext): Stamps {
  const { at, actor } = context;
  return { createdAt: at, createdBy: actor.id, lastUpdatedAt: at, lastUpdatedBy: actor.id };
}

/** Who changed a row last, and when (ms). */
export function updatedStamps(context: ApplyContext) {
  return { lastUpdatedAt: context.at, lastUpdatedBy: context.actor.id };
}

/** 409 when a row other than `exceptId` has the name, compared without the case of ASCII letters. */
export function refuseTakenName(
  { indexes }: { readonly indexes: { readonly byName: Map<string, string> } },
  displayName: string | undefined,
  exceptId?: string,
): Refusal | undefined {
  if (displayName === undefined) return undefined;
  const owner = indexes.byName.get(asciiLowerCase(displayName));
  return owner === undefined || owner === exceptId
    ? undefined
    : refuse('resource_conflict', 'the display name is taken');
}

/** 422 when the output of `GET` for one policy is put back to another. */
export function refuseOtherId(
  { id }: { readonly id: string },
  given: { readonly id?: string | undefined },
): Refusal | undefined {
  return given.id === undefined || given.id === id
    ? undefined
    : refuse('invalid_inputs', 'id: is not the id of this policy');
}
