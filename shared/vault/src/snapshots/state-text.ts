/**
 * Writes the state as lines of JSON, and reads it back as it was. It keeps every index, since some hold what the rows
 * no longer say. It also keeps the order of entries in maps and sets, because the fold goes by that: of two policies
 * that allow the same, the first is named.
 */
import { List, Map, Set } from 'immutable';
import { addressListsOf, EMPTY_STATE, webhooksOf, type VaultState } from '../state/state.js';
import { isTable, type Identified, type Table } from '../state/table.js';

/** Counted up by whoever changes the text, or what the same ledger gives in the state or an index. */
const TEXT_VERSION = 1;
/** Writing one line of this size does not hold up the event loop. */
const ENTRIES_PER_LINE = 64;

type Rows = Map<string, unknown>;
type Part = readonly [path: readonly string[], value: unknown, rows?: Rows];
type Form = 'value' | 'list' | 'map' | 'hashed map' | 'set' | 'hashed set';

const TABLES = {
  ...EMPTY_STATE,
  webhooks: webhooksOf(EMPTY_STATE),
  addressLists: addressListsOf(EMPTY_STATE),
} as const;

/** The shape that a text must have been written for: no state of a release with another shape is read. */
export const STATE_SHAPE = JSON.stringify([
  TEXT_VERSION,
  Object.entries(TABLES).map(([name, value]: [string, unknown]) =>
    isTable(value) ? [name, Object.keys(value.indexes)] : name,
  ),
]);

/** Lines without line breaks. The state is immutable, so the caller may take them over time. */
export function* writeState(state: VaultState): Generator<string> {
  for (const [path, value, rows] of partsOf(state)) {
    const form = formOf(value);
    if (form === 'value') {
      yield JSON.stringify([path, form, pack(value)]);
      continue;
    }
    const collection = value as List<unknown> | Map<string, unknown> | Set<string>;
    yield JSON.stringify([path, form, collection.size]);
    let line: unknown[] = [];
    for (const entry of collection as Iterable<unknown>) {
      line.push(pack(entry, rows));
      if (line.length < ENTRIES_PER_LINE) continue;
      yield JSON.stringify(line);
      line = [];
    }
    if (line.length > 0) yield JSON.stringify(line);
  }
}

/** Throws on lines that {@link writeState} of this shape did not write. */
export function readState(lines: Iterator<string, unknown>): VaultState {
  const names = createNames();
  const fields: Record<string, unknown> = {};
  for (let { done, value } = lines.next(); done !== true; { done, value } = lines.next()) {
    const [path, form, what] = JSON.parse(String(value)) as [string[], Form, unknown];
    const rows = path[1] === 'indexes' ? tableOf(fields, path[0]!)['rows'] : undefined;
    const read = (packed: unknown) => unpack(packed, names, rows as Rows | undefined);
    place(fields, path, form === 'value' ? read(what) : collect(form, what as number, lines, read));
  }
  for (const [name, empty] of Object.entries(TABLES) as [string, unknown][]) {
    if (name in fields) {
      if (isTable(empty)) fields[name] = wholeTable(fields, name, empty);
    } else if (name in EMPTY_STATE) throw new Error(`there is no ${name}`);
  }
  return fields as unknown as VaultState;
}

function wholeTable(
  fields: Record<string, unknown>,
  name: string,
  { indexes, indexRules }: Table<Identified>,
): Table<Identified> {
  const table = tableOf(fields, name) as unknown as Table<Identified>;
  const missing = Object.keys(indexes).find((index) => !Object.hasOwn(table.indexes, index));
  if (table.rows === undefined || table.order === undefined || missing !== undefined) {
    throw new Error(`a part of ${name} is missing`);
  }
  return { ...table, indexRules };
}

function partsOf(state: VaultState): Part[] {
  return Object.entries(state).flatMap(([name, value]: [string, unknown]): Part[] => {
    if (!isTable(value)) return [[[name], value]];
    const { rows, order, indexes } = value;
    return [
      [[name, 'rows'], rows],
      [[name, 'order'], order],
      [[name, 'indexes'], {}],
      ...Object.entries(indexes).map(([index, held]: [string, unknown]): Part => [
        [name, 'indexes', index],
        held,
        rows,
      ]),
    ];
  });
}

function formOf(value: unknown): Form {
  if (List.isList(value)) return 'list';
  if (Map.isMap(value)) return isHashed(value) ? 'hashed map' : 'map';
  if (Set.isSet(value)) return isHashed(value) ? 'hashed set' : 'set';
  return 'value';
}

interface Inner {
  readonly _map?: Inner;
  readonly _root?: { readonly entries?: unknown; readonly keyHash?: unknown };
}

/**
 * A map that never had more than eight entries gives them in order of insertion. Any other gives them by their hashes,
 * even when few are left. Immutable does not tell which it is.
 */
function isHashed(collection: object): boolean {
  const { _map: map, _root: root } = collection as Inner;
  if (map !== undefined) return isHashed(map);
  return root !== undefined && (root.entries === undefined || root.keyHash !== undefined);
}

/** More than eight, and none is a key of the state, since those are texts. */
const FILLERS = Array.from({ length: 9 }, (_, number) => number as unknown as string);

function collect(
  form: Form,
  size: number,
  lines: Iterator<string, unknown>,
  read: (packed: unknown) => unknown,
): unknown {
  const entries: unknown[] = [];
  while (entries.length < size) {
    const { done, value } = lines.next();
    if (done === true) throw new Error('the text ends too early');
    for (const packed of JSON.parse(String(value)) as unknown[]) entries.push(read(packed));
  }
  switch (form) {
    case 'list':
      return List(entries);
    case 'map':
      return Map(entries as [string, unknown][]);
    case 'set':
      return Set(entries as string[]);
    case 'hashed map': {
      const filled = Map([
        ...(entries as [string, unknown][]),
        ...FILLERS.map((key) => [key, 0] as const),
      ]);
      return filled.deleteAll(FILLERS);
    }
    case 'hashed set':
      return Set([...(entries as string[]), ...FILLERS]).subtract(FILLERS);
    default:
      throw new Error('a part of the text has no form');
  }
}

function place(fields: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, part, index] = path;
  if (part === undefined) fields[name!] = value;
  else if (index === undefined) fields[name!] = { ...tableOf(fields, name!), [part]: value };
  else (tableOf(fields, name!)['indexes'] as Record<string, unknown>)[index] = value;
}

function tableOf(fields: Record<string, unknown>, name: string): Record<string, unknown> {
  return (fields[name] ?? {}) as Record<string, unknown>;
}

/** An object with this key alone stands for a value that JSON cannot write. */
const TAG = '$';

function pack(value: unknown, rows?: Rows): unknown {
  if (value === undefined) return { [TAG]: 'undefined' };
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} in a state`);
  if (typeof value !== 'object' || value === null) return value;
  if (List.isList(value)) return { [TAG]: 'list', of: value.toArray().map((one) => pack(one)) };
  if (Array.isArray(value)) return value.map((one) => pack(one, rows));
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('no value of a state');
  const { id } = value as { readonly id?: unknown };
  // a row that is in its table too is one row, there and here
  if (rows !== undefined && rows.get(id as string) === value) return { [TAG]: 'row', id };
  const fields = Object.entries(value).map(([name, field]) => [name, pack(field)] as const);
  return Object.hasOwn(value, TAG) ? { [TAG]: 'object', of: fields } : Object.fromEntries(fields);
}

/** Longer texts are signatures and ciphertexts, which are there once; longer lists are hardly ever equal. */
const LONGEST_TEXT = 64;
const LONGEST_LIST = 4;
/** For example, the labels of a row that has none. */
const NO_FIELDS = {};

/** Keeps one copy of what is in many places: texts, such as ids and public keys, and short lists of texts in rows. */
interface Names {
  text(text: string): string;
  field(value: unknown): unknown;
}

function createNames(): Names {
  const texts = new globalThis.Map<string, string>();
  const lists = new globalThis.Map<string, unknown[]>();
  return {
    text(text) {
      if (text.length > LONGEST_TEXT) return text;
      const first = texts.get(text);
      if (first === undefined) texts.set(text, text);
      return first ?? text;
    },
    field(value) {
      if (typeof value !== 'object' || value === null) return value;
      if (!Array.isArray(value)) return Object.keys(value).length === 0 ? NO_FIELDS : value;
      if (value.length > LONGEST_LIST || !value.every((one) => typeof one === 'string')) {
        return value;
      }
      const key = JSON.stringify(value);
      const first = lists.get(key);
      if (first === undefined) lists.set(key, value);
      return first ?? value;
    },
  };
}

/** Changes the objects that it is given, which nobody else holds. */
function unpack(value: unknown, names: Names, rows: Rows | undefined): unknown {
  if (typeof value === 'string') return names.text(value);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  if (!Array.isArray(value) && Object.hasOwn(fields, TAG)) return untag(fields, names, rows);
  const isList = Array.isArray(value);
  for (const name of Object.keys(fields)) {
    const field = unpack(fields[name], names, rows);
    fields[name] = isList ? field : names.field(field);
  }
  return value;
}

function untag(tagged: Record<string, unknown>, names: Names, rows: Rows | undefined): unknown {
  switch (tagged[TAG]) {
    case 'undefined':
      return undefined;
    case 'list':
      return List((tagged['of'] as unknown[]).map((one) => unpack(one, names, rows)));
    case 'object':
      return Object.fromEntries(
        (tagged['of'] as [string, unknown][]).map(([name, one]) => [
          name,
          unpack(one, names, rows),
        ]),
      );
    case 'row': {
      const row = rows?.get(tagged['id'] as string);
      if (row === undefined) throw new Error('there is no such row');
      return row;
    }
    default:
      throw new Error('a value of the text has no form');
  }
}
