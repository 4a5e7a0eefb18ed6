/**
 * Finds how a change altered the rows that it was about, for the audit log. Only the states before and after matter,
 * not the operation. What stands for a secret is named, and its value left out.
 */
import { Map } from 'immutable';
import type { EntryFacts, FieldChange, RowChange } from '../ledger/entry-outcome.js';
import type { VaultState } from '../state/state.js';
import { isTable } from '../state/table.js';
import { entrySubject } from './entry-subject.js';

/** The parts of the state that hold rows by their ids. */
export const ROW_TABLES = [
  'users',
  'userGroups',
  'adminPolicies',
  'vaults',
  'wallets',
  'keys',
  'securityGroups',
  'signingPolicies',
  'webhooks',
  'addressLists',
  'importRecipients',
  'evidenceKeys',
  'frozenVenues',
  'pendingRequests',
] as const satisfies readonly (keyof VaultState)[];

/** Hashes of secrets, secrets sealed to parties, and fields that hold such. */
const SECRET_FIELDS = new Set([
  ...['apiKeySha256', 'enrollmentCodeSha256', 'sealedParts'],
  ...['call', 'credential', 'given', 'signing'],
]);
/** Fields that tell nothing new: ids, stamps, and attestations, each of which is an entry itself. */
const PLAIN_FIELDS = new Set([
  ...['id', 'createdAt', 'createdBy', 'lastUpdatedAt', 'lastUpdatedBy'],
  ...['attestations', 'credentialEpoch'],
]);

type Row = Readonly<Record<string, unknown>>;

/** Changes of all rows that the entry was about. Costs a look-up for each of them. */
export function findRowChanges(
  before: VaultState,
  after: VaultState,
  facts: Pick<EntryFacts, 'subject' | 'decided'>,
): RowChange[] {
  const { resourceIds = [], keyIds = [], userIds = [] } = entrySubject(facts) ?? {};
  const ids = new Set([...resourceIds, ...keyIds, ...userIds]);
  const changes: RowChange[] = [];
  for (const table of ROW_TABLES) {
    if (before[table] === after[table]) continue;
    for (const id of ids) {
      const change = changeOf(table, id, findRow(before[table], id), findRow(after[table], id));
      if (change !== undefined) changes.push(change);
    }
  }
  const fields = changedFields(systemOf(before), systemOf(after));
  if (Object.keys(fields).length === 0) return changes;
  return [...changes, { table: 'system', id: 'system', kind: 'changed', fields }];
}

/** What there is once in the vault, as a row. */
function systemOf({ settings, systemFreeze, ...state }: VaultState): Row {
  const { parties, successor = null, refresh = null } = state;
  return { ...settings, systemFreeze, parties, successor, refresh };
}

function findRow(table: unknown, id: string): Row | undefined {
  if (table === undefined) return undefined;
  if (isTable(table)) return table.rows.get(id) as Row | undefined;
  if (Map.isMap(table)) return table.get(id) as Row | undefined;
  return (table as readonly Row[]).find((row) => row['id'] === id);
}

function changeOf(
  table: string,
  id: string,
  before: Row | undefined,
  after: Row | undefined,
): RowChange | undefined {
  if (before === after) return undefined;
  if (after === undefined) return { table, id, kind: 'removed', fields: {} };
  if (before === undefined) return { table, id, kind: 'created', fields: changedFields({}, after) };
  const fields = changedFields(before, after);
  return Object.keys(fields).length === 0 ? undefined : { table, id, kind: 'changed', fields };
}

function changedFields(before: Row, after: Row): Record<string, FieldChange> {
  const fields: Record<string, FieldChange> = {};
  for (const name of Object.keys(after)) {
    if (PLAIN_FIELDS.has(name) || isSame(before[name], after[name])) continue;
    fields[name] = SECRET_FIELDS.has(name) ? 'withheld' : fieldChange(before[name], after[name]);
  }
  return fields;
}

function isSame(from: unknown, to: unknown): boolean {
  if (from === to) return true;
  const areObjects = typeof from === 'object' && typeof to === 'object';
  return areObjects && JSON.stringify(from) === JSON.stringify(to);
}

function fieldChange(from: unknown, to: unknown): FieldChange {
  if (from === undefined) return { to };
  if (!Array.isArray(from) || !Array.isArray(to)) return { from, to };
  const had = new Set(from.map(nameOf));
  const has = new Set(to.map(nameOf));
  const added = to.filter((item) => !had.has(nameOf(item)));
  const removed = from.filter((item) => !has.has(nameOf(item)));
  // the order changed, or contents under the same names
  return added.length + removed.length === 0 ? { from, to } : { added, removed };
}

/** Items of the state's lists are texts, numbers, rows with an id, or objects that are told from others by all they say. */
function nameOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  return 'id' in item ? item.id : JSON.stringify(item);
}
