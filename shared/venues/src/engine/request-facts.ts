/** The facts in a request that policy may look at: symbols, sides and amounts, read by name from its entries. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';
import { writtenText } from '@countersign/core/written-json.js';
import type { SizeUnit, VenueFacts } from './venue-facts.js';
import { isJsonObject, parseJson, type JsonObject } from './request-body.js';
import { invalid } from './wire-form.js';

/** One order or movement: parameter names and values; form values are strings. */
export type Entry = JsonObject;

/** Splits a request's parameters into its entries. */
export type ReadEntries = (parameters: Entry) => readonly Entry[] | Refusal;

/** The names that carry facts. A fact that is present but malformed refuses the request. */
export interface FactFields {
  readonly symbols?: readonly string[];
  /** Names of symbol fields whose value is a list: a JSON array, or JSON text of one in a form. */
  readonly symbolLists?: readonly string[];
  readonly sides?: readonly string[];
  /** Amounts in units of the traded or moved asset, unless {@link unitOf} says otherwise. */
  readonly amounts?: readonly string[];
  /** Amounts in units of the market's quote asset. */
  readonly quoteAmounts?: readonly string[];
  /** Numbers of contracts. */
  readonly contracts?: readonly string[];
  /** The unit of the entry's `amounts`; undefined when nobody can tell. */
  readonly unitOf?: (entry: Entry) => SizeUnit | undefined;
  /** Whether `amounts` may count the quote asset instead. They are then sizes in both: a rule must bound each. */
  readonly mayCountQuote?: (entry: Entry) => boolean;
  /** Amounts in a unit that no rule has: their presence makes the amount undecidable. */
  readonly amountsInOtherUnits?: readonly string[];
  /** Whether the entry's amount cannot be compared, e.g. because it is that of any open position. */
  readonly hasUndecidableAmount?: (entry: Entry) => boolean;
  /** Whether the entry buys or sells without saying which, e.g. because it closes any open position. */
  readonly hasUndecidableSide?: (entry: Entry) => boolean;
  /** How the venue spells a symbol. A spelling that it would fold, such as lower case, must not match. */
  readonly symbolPattern?: RegExp;
}

type Sizes = Pick<VenueFacts, 'amounts' | 'quoteAmounts' | 'contracts'>;

export type RequestFacts = Pick<VenueFacts, 'symbols' | 'sides' | 'undecidable'> & Sizes;

const NO_SIZES: Sizes = { amounts: [], quoteAmounts: [], contracts: [] };

export const NO_FACTS: RequestFacts = { symbols: [], sides: [], ...NO_SIZES, undecidable: [] };

/** Only the endpoint tells what the request does: no rule that looks further can be decided. */
export const UNDECIDABLE_FACTS: RequestFacts = {
  ...NO_FACTS,
  undecidable: ['symbols', 'sides', 'amount'],
};

const DEFAULT_SYMBOL = /^[A-Z0-9._:/-]{1,64}$/;
const PLAIN_DECIMAL = /^(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?$/;

interface EntryFacts extends Sizes {
  readonly symbols: readonly string[];
  readonly sides: readonly ('buy' | 'sell')[];
  readonly undecidableAmount: boolean;
  readonly undecidableSide: boolean;
}

/** The facts of all entries together, or a 422 for a malformed one. */
export function readFacts(entries: readonly Entry[], fields: FactFields): RequestFacts | Refusal {
  const facts: EntryFacts[] = [];
  for (const entry of entries) {
    const read = readEntry(entry, fields);
    if (isRefusal(read)) return read;
    facts.push(read);
  }
  return {
    symbols: [...new Set(facts.flatMap((fact) => fact.symbols))],
    sides: [...new Set(facts.flatMap((fact) => fact.sides))],
    amounts: facts.flatMap((fact) => fact.amounts),
    quoteAmounts: facts.flatMap((fact) => fact.quoteAmounts),
    contracts: facts.flatMap((fact) => fact.contracts),
    undecidable: undecidableFacts(facts),
  };
}

/**
 * A batch in which only some entries carry a fact. What the others do (at the venue's default, or to an order named by
 * id) is unknown, so no condition on that fact can hold.
 */
function undecidableFacts(facts: readonly EntryFacts[]): RequestFacts['undecidable'] {
  const isMixed = (count: (fact: EntryFacts) => number): boolean =>
    facts.some((fact) => count(fact) > 0) && facts.some((fact) => count(fact) === 0);
  const undecidable: ('symbols' | 'sides' | 'amount')[] = [];
  if (isMixed((fact) => fact.symbols.length)) undecidable.push('symbols');
  if (facts.some((fact) => fact.undecidableSide) || isMixed((fact) => fact.sides.length)) {
    undecidable.push('sides');
  }
  if (facts.some((fact) => fact.undecidableAmount) || isMixed(countSizes)) {
    undecidable.push('amount');
  }
  return undecidable;
}

function countSizes({ amounts, quoteAmounts, contracts }: Sizes): number {
  return amounts.length + quoteAmounts.length + contracts.length;
}

function readEntry(entry: Entry, fields: FactFields): EntryFacts | Refusal {
  const disguised = findDisguisedName(entry, fields);
  if (disguised !== undefined) {
    return invalid(`the parameter ${quoteName(disguised)} is not spelled as the venue spells it`);
  }
  const symbols = readSymbols(entry, fields);
  if (isRefusal(symbols)) return symbols;
  const sides = readAll(entry, fields.sides, parseSide, 'side', 'buy or sell');
  if (isRefusal(sides)) return sides;
  const sizes = readSizes(entry, fields);
  if (isRefusal(sizes)) return sizes;
  const isUndecidable =
    sizes === 'unknown unit' ||
    (fields.amountsInOtherUnits ?? []).some((name) => hasValue(entry, name)) ||
    fields.hasUndecidableAmount?.(entry) === true;
  return {
    symbols,
    sides,
    // an amount in another unit would be compared as if it counted the asset
    ...(isUndecidable ? NO_SIZES : sizes),
    undecidableAmount: isUndecidable,
    undecidableSide: fields.hasUndecidableSide?.(entry) === true,
  };
}

function readSizes(entry: Entry, fields: FactFields): Sizes | 'unknown unit' | Refusal {
  const read = (names: readonly string[] | undefined) =>
    readAll(entry, names, parseAmount, 'amount', 'a plain decimal');
  const stated = read(fields.amounts);
  const quoteAmounts = read(fields.quoteAmounts);
  const contracts = read(fields.contracts);
  if (isRefusal(stated)) return stated;
  if (isRefusal(quoteAmounts)) return quoteAmounts;
  if (isRefusal(contracts)) return contracts;
  const sizes = { amounts: [], quoteAmounts, contracts };
  if (stated.length === 0) return sizes;
  switch (fields.unitOf === undefined ? 'amount' : fields.unitOf(entry)) {
    case 'amount':
      return fields.mayCountQuote?.(entry) === true
        ? { ...sizes, amounts: stated, quoteAmounts: [...quoteAmounts, ...stated] }
        : { ...sizes, amounts: stated };
    case 'quote_amount':
      return { ...sizes, quoteAmounts: [...quoteAmounts, ...stated] };
    case 'contracts':
      return { ...sizes, contracts: [...contracts, ...stated] };
    case undefined:
      return 'unknown unit';
  }
}

function hasValue(entry: Entry, name: string): boolean {
  return Object.hasOwn(entry, name) && entry[name] !== undefined;
}

interface KnownNames {
  readonly exact: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

const KNOWN_NAMES = new WeakMap<FactFields, KnownNames>();

function knownNames(fields: FactFields): KnownNames {
  const cached = KNOWN_NAMES.get(fields);
  if (cached !== undefined) return cached;
  const names = [
    ...(fields.symbols ?? []),
    ...(fields.symbolLists ?? []),
    ...(fields.sides ?? []),
    ...(fields.amounts ?? []),
    ...(fields.quoteAmounts ?? []),
    ...(fields.contracts ?? []),
    ...(fields.amountsInOtherUnits ?? []),
  ];
  const folded = new Set(names.map((name) => name.toLowerCase()));
  const known = { exact: new Set(names), folded };
  KNOWN_NAMES.set(fields, known);
  return known;
}

/** Whether a rule may look at the parameter. */
export function isFactName(fields: FactFields, name: string): boolean {
  return knownNames(fields).exact.has(name);
}

/** A name that differs from a fact's name in letter case or by a bracket: `Amount`, `amount[]`. */
function findDisguisedName(entry: Entry, fields: FactFields): string | undefined {
  const { exact, folded } = knownNames(fields);
  return Object.keys(entry).find(
    (name) => !exact.has(name) && folded.has(name.toLowerCase().replace(/\[.*$/, '')),
  );
}

function readSymbols(entry: Entry, fields: FactFields): string[] | Refusal {
  const pattern = fields.symbolPattern ?? DEFAULT_SYMBOL;
  const parse = (value: unknown): string | undefined =>
    typeof value === 'string' && pattern.test(value) ? value : undefined;
  const single = readAll(entry, fields.symbols, parse, 'symbol', "in the venue's spelling");
  if (isRefusal(single)) return single;
  const symbols = [...single];
  for (const name of fields.symbolLists ?? []) {
    if (!hasValue(entry, name)) continue;
    const list = asList(entry[name]);
    const parsed = list?.map(parse);
    if (parsed === undefined || parsed.includes(undefined)) {
      return invalid(`${name} must be a list of symbols in the venue's spelling`);
    }
    symbols.push(...parsed.filter((symbol) => symbol !== undefined));
  }
  return symbols;
}

function asList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return undefined;
  const parsed = parseJson(value);
  return !isRefusal(parsed) && Array.isArray(parsed.json) ? parsed.json : undefined;
}

function readAll<T>(
  entry: Entry,
  names: readonly string[] = [],
  parse: (value: unknown) => T | undefined,
  what: string,
  form: string,
): T[] | Refusal {
  const values: T[] = [];
  for (const name of names) {
    if (!hasValue(entry, name)) continue;
    const value = parse(entry[name]);
    if (value === undefined) return invalid(`the ${what} in ${name} must be ${form}`);
    values.push(value);
  }
  return values;
}

/** `buy` or `sell` in any letter case. */
export function parseSide(value: unknown): 'buy' | 'sell' | undefined {
  if (typeof value !== 'string') return undefined;
  const folded = value.toLowerCase();
  return folded === 'buy' || folded === 'sell' ? folded : undefined;
}

/** A plain decimal, in text or in a JSON number that is written as one: no sign, exponent or blank. */
export function parseAmount(value: unknown): string | undefined {
  const text = writtenText(value);
  return text !== undefined && PLAIN_DECIMAL.test(text) ? text : undefined;
}

/**
 * Entries in a list under `name`, each with the fields beside the list: `{category, request: [...]}`. In a form the
 * list is JSON text. 422 unless it is a non-empty list of objects. Also 422 if an object names a field that is beside
 * the list too: only the venue knows which of the two counts.
 */
export function entriesIn(name: string): ReadEntries {
  return (parameters) => {
    const { [name]: value, ...beside } = parameters;
    const list = asList(value);
    if (list === undefined || list.length === 0 || !list.every(isJsonObject)) {
      return invalid(`${name} must be a list of objects`);
    }
    const outside = new Set(Object.keys(beside).map((key) => key.toLowerCase()));
    if (list.some((item) => Object.keys(item).some((key) => outside.has(key.toLowerCase())))) {
      return invalid(`a field is given both inside and outside of ${name}`);
    }
    return list.map((item) => ({ ...beside, ...item }));
  };
}
