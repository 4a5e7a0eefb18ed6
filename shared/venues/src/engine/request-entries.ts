/** Converts a request's parameters to the entries (orders, movements) that its endpoint makes of them. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { CheckedRequest, VenueDefinition } from './venue-definition.js';
import { placeholdersOf, type Carrier, type Endpoint } from './endpoint-table.js';
import type { Entry, ReadEntries } from './request-facts.js';
import type { Parameter } from './wire-form.js';

/** The entries of an endpoint, without empty values if the venue treats these as absent. */
export function statedEntries(
  { takesEmptyForAbsent }: Pick<VenueDefinition, 'takesEmptyForAbsent'>,
  checked: CheckedRequest,
  endpoint: Endpoint,
): readonly Entry[] | Refusal {
  const entries = readEntries(checked, endpoint);
  if (isRefusal(entries)) return entries;
  return takesEmptyForAbsent === true ? entries.map(withoutEmpty) : entries;
}

function withoutEmpty(entry: Entry): Entry {
  const isStated = (value: unknown): boolean =>
    value !== '' && value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => isStated(value)));
}

/** 422 if the endpoint cannot make entries of them. */
export function readEntries(
  checked: CheckedRequest,
  endpoint: Endpoint,
): readonly Entry[] | Refusal {
  const { body } = checked;
  const read: ReadEntries = endpoint.entries ?? ((parameters) => [parameters]);
  // merged last, so that no parameter can take the name of a placeholder
  const inPath = placeholdersOf(endpoint.template, checked.request.path);
  if (body.kind === 'json_list') {
    return readEach(body.items, (item) => read({ ...item, ...inPath }));
  }
  return read({
    ...asEntry(checked.query),
    ...(body.kind === 'form' ? asEntry(body.parameters) : {}),
    ...(body.kind === 'json' ? body.object : {}),
    ...inPath,
  });
}

function readEach(items: readonly Entry[], read: ReadEntries): readonly Entry[] | Refusal {
  const entries: Entry[] = [];
  for (const item of items) {
    const some = read(item);
    if (isRefusal(some)) return some;
    entries.push(...some);
  }
  return entries;
}

/** Form values, keyed by their names. */
export function asEntry(parameters: readonly Parameter[]): Entry {
  return Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
}

/** The containers that are not empty. */
export function usedCarriers(checked: Pick<CheckedRequest, 'query' | 'body'>): Carrier[] {
  const used: Carrier[] = checked.query.length > 0 ? ['query'] : [];
  if (checked.body.kind !== 'empty') used.push(checked.body.kind);
  return used;
}
