/** A venue's endpoints as data: what each does, where its parameters travel, what policy may read. */
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type { VenueChannel } from './venue.js';
import type { FactFields, ReadEntries } from './request-facts.js';

/** Where parameters travel. `json_list`: a JSON array of objects at the top. */
export type Carrier = 'query' | 'form' | 'json' | 'json_list';

export type NamedClass = Exclude<OperationClass, 'unknown'>;

export interface ParameterNames {
  readonly required: readonly string[];
  /** At least one of each group is required. */
  readonly anyOf: readonly (readonly string[])[];
  readonly optional: readonly string[];
}

export interface Endpoint {
  readonly channel: VenueChannel;
  /** HTTP method; on `ws` and `fix` the venue's name of the operation. */
  readonly method: string;
  /** e.g. `/v2/accounts/{id}/transactions`; empty on `ws` and `fix`. */
  readonly template: string;
  readonly operationClass: NamedClass;
  /** Containers that may hold something. */
  readonly carriers: readonly Carrier[];
  /**
   * Undefined: any name is accepted. Then nothing in a request counts as a fact unless it only reads: an endpoint
   * ignores unknown names, and a rule would compare a value that the venue never looks at. Required if the venue's
   * signature does not bind the path.
   */
  readonly names: ParameterNames | undefined;
  /** Undefined: the venue's own {@link FactFields}. */
  readonly fields: FactFields | undefined;
  /** Several orders in one request. Undefined: the request is one entry. */
  readonly entries: ReadEntries | undefined;
  /** Parameters of its query that may be given more than once, see {@link RowOptions.repeatable}. */
  readonly repeatable: readonly string[];
}

export interface RowOptions {
  readonly channel?: VenueChannel;
  readonly fields?: FactFields;
  readonly entries?: ReadEntries;
  /** Only for reads, and for parameters that hold no fact, so that it does not matter which value counts. */
  readonly repeatable?: readonly string[];
}

/**
 * Endpoints of one class. Keys are `METHOD /path/{placeholder}`, or the operation's name on `ws` and `fix`. A record
 * gives their parameter names: `'symbol side | price quantity'` is two required names and two optional ones; in
 * `'symbol id/clientId'` one of the last two is required. A list accepts any names, so only mere reads there can meet
 * rules on symbols, sides or amounts. Without carriers there are no names, so nothing is left open.
 */
export function endpoints(
  operationClass: NamedClass,
  carriers: readonly Carrier[],
  rows: readonly string[] | Readonly<Record<string, string>>,
  options: RowOptions = {},
): readonly Endpoint[] {
  const named: readonly (readonly [string, string | undefined])[] = isList(rows)
    ? rows.map((row) => [row, undefined])
    : Object.entries(rows);
  return named.map(([row, names]) => {
    const [method = '', template = ''] = row.split(' ');
    return {
      channel: options.channel ?? 'rest',
      method,
      template,
      operationClass,
      carriers,
      names: names === undefined && carriers.length > 0 ? undefined : parseNames(names ?? ''),
      fields: options.fields,
      entries: options.entries,
      repeatable: options.repeatable ?? [],
    };
  });
}

/** Rows for a list of paths, separated by blanks, that share method and prefix. */
export function rowsUnder(prefix: string, paths: string): string[] {
  return splitWords(paths).map((path) => prefix + path);
}

function isList(
  rows: readonly string[] | Readonly<Record<string, string>>,
): rows is readonly string[] {
  return Array.isArray(rows);
}

function parseNames(text: string): ParameterNames {
  const [required = '', optional = ''] = text.split('|');
  const words = splitWords(required);
  return {
    required: words.filter((word) => !word.includes('/')),
    anyOf: words.filter((word) => word.includes('/')).map((word) => word.split('/')),
    optional: splitWords(optional),
  };
}

function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** `METHOD /path/template`, as in {@link VenueFacts.endpoint}. */
export function endpointName(endpoint: Endpoint): string {
  return endpoint.template === '' ? endpoint.method : `${endpoint.method} ${endpoint.template}`;
}

export interface EndpointTable {
  readonly endpoints: readonly Endpoint[];
  find(channel: VenueChannel, method: string, path: string): Endpoint | undefined;
  /** Endpoints with any method. */
  atPath(channel: VenueChannel, path: string): readonly Endpoint[];
}

/** Throws when two rows have one name: a table that contradicts itself must not load. */
export function createEndpointTable(list: readonly Endpoint[]): EndpointTable {
  const literal = new Map<string, Endpoint>();
  const literalByPath = new Map<string, Endpoint[]>();
  const patterned: Endpoint[] = [];
  for (const endpoint of list) {
    const key = keyOf(endpoint.channel, endpoint.method, endpoint.template);
    if (literal.has(key)) throw new Error(`endpoint listed twice: ${key}`);
    literal.set(key, endpoint);
    if (endpoint.template.includes('{')) {
      patterned.push(endpoint);
      continue;
    }
    const path = pathKey(endpoint.channel, endpoint.template);
    literalByPath.set(path, [...(literalByPath.get(path) ?? []), endpoint]);
  }
  return {
    endpoints: list,
    // a path spelled out in the table wins over a placeholder that would also take it
    find: (channel, method, path) =>
      literal.get(keyOf(channel, method, path)) ??
      patterned.find(
        (endpoint) =>
          endpoint.channel === channel &&
          endpoint.method === method &&
          matchesTemplate(endpoint.template, path),
      ),
    atPath: (channel, path) => [
      ...(literalByPath.get(pathKey(channel, path)) ?? []),
      ...patterned.filter(
        (endpoint) => endpoint.channel === channel && matchesTemplate(endpoint.template, path),
      ),
    ],
  };
}

function keyOf(channel: VenueChannel, method: string, path: string): string {
  return `${channel} ${method} ${path}`;
}

function pathKey(channel: VenueChannel, path: string): string {
  return `${channel} ${path}`;
}

/** Whether a path, already checked for form, is the template with its placeholders filled. */
export function matchesTemplate(template: string, path: string): boolean {
  const wanted = template.split('/');
  // split no further than it can fit: a path may have thousands of segments, and a table hundreds of templates
  const given = path.split('/', wanted.length + 1);
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => segment === given[at] || /^\{\w+\}$/.test(segment))
  );
}

/** The values that a path has for the template's `{names}`. */
export function placeholdersOf(template: string, path: string): Readonly<Record<string, string>> {
  if (!template.includes('{')) return {};
  const given = path.split('/');
  const filled = template
    .split('/')
    .map((segment, at) => [/^\{(\w+)\}$/.exec(segment)?.[1], given[at]] as const);
  const values: Record<string, string> = {};
  for (const [name, value] of filled) {
    if (name !== undefined && value !== undefined) values[name] = value;
  }
  return values;
}
