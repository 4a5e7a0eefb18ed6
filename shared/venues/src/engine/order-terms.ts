/**
 * Reads the orders in a request, for people who are to approve it. Symbol, side and size are as rules read them; terms
 * that no rule looks at have the venue's own names. Other parameters are listed unchanged.
 */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { isWrittenAlike, writtenText } from '@countersign/core/written-json.js';
import type { CheckedRequest, VenueDefinition } from './venue-definition.js';
import { endpointName, placeholdersOf, type Endpoint } from './endpoint-table.js';
import { isJsonObject, parseJson, type JsonObject, type RequestBody } from './request-body.js';
import { asEntry, statedEntries, usedCarriers } from './request-entries.js';
import type { Entry, FactFields } from './request-facts.js';
import { parseParameters } from './wire-form.js';
import type {
  OrderReading,
  OrderTerm,
  OrderTermName,
  RequestPart,
  StatedParameter,
} from './venue.js';

/** One container of parameters. */
interface Container {
  readonly from: RequestPart;
  readonly parameters: JsonObject;
}

/** 422 if the endpoint cannot take the request apart. */
export function readOrders(
  definition: VenueDefinition,
  checked: CheckedRequest,
): OrderReading | Refusal {
  const { endpoint } = checked;
  const containers = containersOf(checked);
  const entries =
    endpoint === undefined || !isReadable(endpoint, checked)
      ? []
      : statedEntries(definition, checked, endpoint);
  if (isRefusal(entries)) return entries;
  const orders = entries
    .map((entry) => termsOf(entry, labelsOf(definition, endpoint, entry), containers))
    .filter((terms) => terms.length > 0);
  return {
    endpoint: endpoint === undefined ? '' : endpointName(endpoint),
    orders,
    others: othersThan(orders.flat(), containers),
  };
}

/**
 * Whether the endpoint surely reads all containers and names. Otherwise nothing gets a label, since the venue may
 * ignore it.
 */
function isReadable(
  { names, operationClass, carriers }: Endpoint,
  checked: CheckedRequest,
): boolean {
  const isRead = usedCarriers(checked).every((carrier) => carriers.includes(carrier));
  return isRead && names !== undefined && operationClass !== 'session';
}

function containersOf({ request, body, endpoint }: CheckedRequest): Container[] {
  const inPath = endpoint === undefined ? {} : placeholdersOf(endpoint.template, request.path);
  return [
    { from: 'path', parameters: inPath },
    ...queryParts(request.query).map((parameters) => ({ from: 'query' as const, parameters })),
    ...bodyParts(request.body, body).map((parameters) => ({ from: 'body' as const, parameters })),
  ];
}

/** Parsed one by one, since some parameters may have several values. */
function queryParts(query: string): JsonObject[] {
  return query.split('&').flatMap((part) => {
    const parameters = parseParameters(part, 'query');
    return isRefusal(parameters) ? [] : [asEntry(parameters)];
  });
}

function bodyParts(raw: string, body: RequestBody): readonly JsonObject[] {
  if (body.kind === 'form') return [asEntry(body.parameters)];
  if (body.kind === 'json') return [body.object];
  if (body.kind === 'json_list' && body.items.length > 0) return body.items;
  // a body that the venue does not sign, or that has no names
  return raw === '' ? [] : [{ '': raw }];
}

function labelsOf(
  { fields: own, termNames }: VenueDefinition,
  endpoint: Endpoint | undefined,
  entry: Entry,
): ReadonlyMap<string, OrderTermName> {
  const fields = endpoint?.fields ?? own;
  const isOrder = endpoint?.operationClass === 'trade';
  const words = Object.entries(isOrder ? termNames : {}).flatMap(([term, names]) =>
    names.split(' ').map((name) => [name, term as OrderTermName] as const),
  );
  const each = (names: readonly string[] | undefined, term: OrderTermName) =>
    (names ?? []).map((name) => [name, term] as const);
  const isSized = isSizeKnown(entry, fields);
  const unit = fields.unitOf === undefined ? 'amount' : (fields.unitOf(entry) ?? 'size');
  return new Map([
    ...words,
    ...each(fields.symbols, 'symbol'),
    ...each(fields.symbolLists, 'symbol'),
    ...each(fields.sides, 'side'),
    ...each(fields.amounts, isSized ? unit : 'size'),
    ...each(fields.quoteAmounts, isSized ? 'quote_amount' : 'size'),
    ...each(fields.contracts, isSized ? 'contracts' : 'size'),
    ...each(fields.amountsInOtherUnits, 'size'),
  ]);
}

function isSizeKnown(entry: Entry, fields: FactFields): boolean {
  const inOther = (fields.amountsInOtherUnits ?? []).some((name) => entry[name] !== undefined);
  const isOpen = [fields.hasUndecidableAmount, fields.mayCountQuote].some(
    (holds) => holds?.(entry) === true,
  );
  return !inOther && !isOpen;
}

function termsOf(
  entry: Entry,
  labels: ReadonlyMap<string, OrderTermName>,
  containers: readonly Container[],
): OrderTerm[] {
  return Object.entries(entry).flatMap(([name, value]) => {
    const term = labels.get(name);
    if (term === undefined || value === undefined) return [];
    const from = containers.find(({ parameters }) => holds(parameters, name, value))?.from;
    return [{ term, name, value: textOf(value), from: from ?? 'table' }];
  });
}

/** Whether it has this value under this name, even within an order of a list or within JSON text. */
function holds(within: unknown, name: string, value: unknown): boolean {
  if (Array.isArray(within)) return within.some((each) => holds(each, name, value));
  if (isJsonObject(within)) {
    const own = within[name];
    return (
      (own !== undefined && (own === value || isWrittenAlike(own, value))) ||
      Object.values(within).some((each) => holds(each, name, value))
    );
  }
  if (typeof within !== 'string' || !/^[[{]/.test(within)) return false;
  const parsed = parseJson(within);
  return !isRefusal(parsed) && holds(parsed.json, name, value);
}

function othersThan(
  terms: readonly OrderTerm[],
  containers: readonly Container[],
): StatedParameter[] {
  return containers.flatMap(({ from, parameters }) =>
    Object.entries(parameters)
      .map(([name, value]) => ({ name, value: textOf(value), from }))
      .filter(
        (one) =>
          !terms.some(
            (term) => term.name === one.name && term.value === one.value && term.from === one.from,
          ),
      ),
  );
}

/** The written text: JSON.stringify would round a long number. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonOf(value);
}

function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}:${jsonOf(each)}`,
    );
    return `{${members.join(',')}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : (writtenText(value) ?? String(value));
}
