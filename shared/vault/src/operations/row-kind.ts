/** What the operations on one kind of row have in common: how a row is found, compared, written and named. */
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Stamps, VaultState } from '../state/state.js';
import { deleteRow, emptyTable, insertRow, replaceRow, type Table } from '../state/table.js';
import type { Applied, ApplyContext, Subject } from './ledger-operation.js';
import { findRow, newStamps, refuseTakenName, updatedStamps } from './lookups.js';

type Tables = Required<
  Pick<
    VaultState,
    | 'userGroups'
    | 'adminPolicies'
    | 'vaults'
    | 'securityGroups'
    | 'signingPolicies'
    | 'webhooks'
    | 'addressLists'
  >
>;
type RowOf<Name extends keyof Tables> =
  Tables[Name] extends Table<infer Row, infer _Indexes>
    ? Row & Stamps & { readonly displayName: string; readonly version?: number }
    : never;

type Params = Readonly<Record<string, string>>;

interface Naming<Row> {
  /** Texts call it so; the path has its id as `{what}_id`. */
  readonly what: string;
  readonly resourceType: string;
  /** The vaults that an entry about the row is about. */
  vaultsOf?(row: Row, state: VaultState): Pick<Subject, 'vaultIds'>;
}

/** The parts of a request that are compared with the row: the version that its caller has read, and a new name. */
interface Change {
  readonly params: Params;
  readonly body: {
    readonly version?: number | undefined;
    readonly display_name?: string | undefined;
  };
}

export class RowKind<Name extends keyof Tables> {
  readonly #table: Name;
  readonly #naming: Naming<RowOf<Name>>;

  /** `table`: where the state has the rows. */
  constructor(table: Name, naming: Naming<RowOf<Name>>) {
    this.#table = table;
    this.#naming = naming;
  }

  /** The row that the path names, or 404. */
  find(state: VaultState, params: Params): RowOf<Name> | Refusal {
    return findRow(this.#rowsIn(state), params[`${this.#naming.what}_id`]);
  }

  newRow(context: ApplyContext, fields: Omit<RowOf<Name>, 'id' | keyof Stamps>): RowOf<Name> {
    const id = context.newId(this.#naming.resourceType.replaceAll('_', '-'));
    return { id, ...fields, ...newStamps(context) } as RowOf<Name>;
  }

  /** 409 for a taken name. */
  insert(state: VaultState, row: RowOf<Name>): Applied | Refusal {
    const taken = this.#refuseName(state, row.displayName);
    return taken ?? this.#applied(state, insertRow(this.#rowsIn(state), row), row);
  }

  /** Writes what `changed` makes of the row. 409 for a stale version and a taken name. */
  change(
    state: VaultState,
    { params, body }: Change,
    context: ApplyContext,
    changed: (before: RowOf<Name>) => RowOf<Name> | Refusal,
  ): Applied | Refusal {
    const before = this.find(state, params);
    if (isRefusal(before)) return before;
    const { version } = before;
    if (version !== undefined && body.version !== version) {
      return refuseStale(this.#naming.what, version);
    }
    const after = this.#refuseName(state, body.display_name, before.id) ?? changed(before);
    if (isRefusal(after)) return after;
    const next = version === undefined ? {} : { version: version + 1 };
    const row = { ...after, ...next, ...updatedStamps(context) };
    return this.#applied(state, replaceRow(this.#rowsIn(state), row), row);
  }

  /** Removes the row, unless `refuseUsed` says why not. */
  remove(
    state: VaultState,
    params: Params,
    refuseUsed?: (row: RowOf<Name>) => Refusal | undefined,
  ): Applied | Refusal {
    const row = this.find(state, params);
    if (isRefusal(row)) return row;
    return refuseUsed?.(row) ?? this.#applied(state, deleteRow(this.#rowsIn(state), row.id), row);
  }

  about(state: VaultState, row: RowOf<Name>): Subject {
    const { resourceType, vaultsOf } = this.#naming;
    return { resourceType, resourceIds: [row.id], ...vaultsOf?.(row, state) };
  }

  #rowsIn(state: VaultState): Table<RowOf<Name>, object> {
    return (state[this.#table] ?? emptyTable()) as unknown as Table<RowOf<Name>, object>;
  }

  /** Rows of some kinds have each a name of its own. */
  #refuseName(state: VaultState, name: string | undefined, exceptId?: string): Refusal | undefined {
    const rows = state[this.#table];
    return rows !== undefined && 'byName' in rows.indexes
      ? refuseTakenName({ indexes: rows.indexes }, name, exceptId)
      : undefined;
  }

  #applied(state: VaultState, rows: Table<RowOf<Name>, object>, row: RowOf<Name>): Applied {
    return { state: { ...state, [this.#table]: rows }, subject: this.about(state, row) };
  }
}

export function refuseStale(what: string, version: number): Refusal {
  return refuse('resource_conflict', `the ${what} is at version ${version}`);
}

/** The fields that are stated: in a change, one that is not stays as it was. */
export function stated<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as ReturnType<typeof stated<Fields>>;
}
