/** Orders inside a request, as objects under a name: their parameters are read as strictly. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';
import { isWrittenAlike } from '@countersign/core/written-json.js';
import { isJsonObject } from './request-body.js';
import { entriesIn, type Entry, type ReadEntries } from './request-facts.js';
import { invalid } from './wire-form.js';

/**
 * Entries of the list under `name`, each with the fields beside the list. 422 when one of them has a parameter that is
 * not in `names` (words): its effect there is not known. A parameter may be in an order and beside the list with the
 * same value; with two values the request is refused.
 */
export function ordersIn(name: string, names: string): ReadEntries {
  const known = namesIn(names);
  const read = entriesIn(name);
  return (parameters) => {
    const list: unknown = parameters[name];
    // orders in the text of a list would be read, but not searched for unknown names
    if (!Array.isArray(list)) return invalid(`${name} must be a list of objects`);
    const refused = list.filter(isJsonObject).map((order) => findStranger(order, known));
    return (
      refused.find(isRefusal) ?? read({ ...parameters, [name]: withoutRepeats(parameters, list) })
    );
  };
}

function withoutRepeats(beside: Entry, list: readonly unknown[]): unknown {
  return list.map((order: unknown) =>
    isJsonObject(order)
      ? Object.fromEntries(
          Object.entries(order).filter(([key, value]) => !isWrittenAlike(beside[key], value)),
        )
      : order,
  );
}

/** The one order under `name`, taken apart by `read`, with the fields around it. */
export function orderIn(
  name: string,
  names: string,
  read: ReadEntries = (order) => [order],
): ReadEntries {
  const known = namesIn(names);
  return (parameters) => {
    const { [name]: order, ...beside } = parameters;
    if (!isJsonObject(order)) return invalid(`${name} must be an object`);
    const refused = findStranger(order, known);
    if (refused !== undefined) return refused;
    const entries = read(order);
    return isRefusal(entries) ? entries : entries.map((entry) => ({ ...beside, ...entry }));
  };
}

/** 422 when an order has a parameter that is not in `known`. */
export function findStranger(order: Entry, known: ReadonlySet<string>): Refusal | undefined {
  const stranger = Object.keys(order).find((name) => !known.has(name));
  return stranger === undefined
    ? undefined
    : invalid(`an order has no parameter ${quoteName(stranger)}`);
}

/** Whether an order states one of `names`. Venues take an empty text for none, as their own examples have it. */
export function statesAny(order: Entry, names: ReadonlySet<string>): boolean {
  return Object.entries(order).some(
    ([name, value]) => names.has(name) && value !== undefined && value !== '',
  );
}

export function namesIn(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').filter((word) => word !== '' && word !== '|'));
}
