/** A withdrawal in the clothes of something harmless: requests that may never count as read or trade. */
import type { VenueRequest } from '@countersign/venues/engine/venue.js';

type Disguise = readonly [name: string, request: VenueRequest];

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
/** Letters of another script that look like those of ours. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { a: 'а', e: 'е', i: 'і', o: 'о' };

/** `withdrawal` and `trade`: complete requests of the same venue, each right as it is. */
export function disguisesOf(withdrawal: VenueRequest, trade: VenueRequest): readonly Disguise[] {
  return [
    ...disguisedPaths(withdrawal.path, trade.path).map(
      ([name, path]) => [name, { ...withdrawal, path }] as const,
    ),
    ...METHODS.filter((method) => method !== withdrawal.method).map(
      (method) => [`sent by ${method}`, { ...withdrawal, method }] as const,
    ),
    ['the method in lower case', { ...withdrawal, method: withdrawal.method.toLowerCase() }],
    ['another method by parameter', withMore(withdrawal, '_method', 'GET')],
    ['at the path of an order', { ...withdrawal, path: trade.path, method: trade.method }],
    ['its query at the path of an order', { ...trade, query: inQuery(withdrawal) }],
    ['its query beside an order', { ...trade, query: joined(trade.query, inQuery(withdrawal)) }],
    ['its parameters in an order', merged(trade, withdrawal)],
    ['an order at its own path', { ...trade, path: withdrawal.path, method: withdrawal.method }],
  ];
}

function disguisedPaths(path: string, harmless: string): readonly (readonly [string, string])[] {
  const middle = path.lastIndexOf('/') + 1;
  const letter = path.slice(middle).search(/[aeio]/) + middle;
  return [
    ['in capitals', path.toUpperCase()],
    ['with one capital', path.slice(0, middle) + capital(path.slice(middle))],
    ['with a slash behind', `${path}/`],
    ['with two slashes', path.replace('/', '//')],
    ['with a segment behind', `${path}/1`],
    ['with a segment in front', `/x${path}`],
    ['without its first segment', path.replace(/^\/[^/]+/, '')],
    ['with a dot', `${path.slice(0, middle)}./${path.slice(middle)}`],
    ['climbing out of an order', `${harmless}/..${path}`],
    ['behind an order and a semicolon', `${harmless};${path}`],
    ['behind an order and a null byte', `${harmless}\0${path}`],
    ['with a percent-encoded letter', encodeAt(path, letter)],
    ['with a percent-encoded slash', path.slice(0, middle - 1) + '%2F' + path.slice(middle)],
    [
      'with a letter of another script',
      path.slice(0, letter) + LOOK_ALIKES[path[letter]!] + path.slice(letter + 1),
    ],
    ['with a query in it', `${path}?x=1`],
    ['with a fragment', `${path}#x`],
    ['with a blank', `${path} `],
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function encodeAt(path: string, at: number): string {
  const code = path.codePointAt(at)!.toString(16).toUpperCase();
  return `${path.slice(0, at)}%${code}${path.slice(at + 1)}`;
}

function joined(...queries: string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

function parametersOf({ query, body }: VenueRequest): Record<string, unknown> {
  const inBody = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
  return { ...Object.fromEntries(new URLSearchParams(query)), ...inBody };
}

function inQuery(request: VenueRequest): string {
  return new URLSearchParams(
    Object.entries(parametersOf(request)).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  ).toString();
}

/** The parameters of both, where the first has its own. */
function merged(request: VenueRequest, other: VenueRequest): VenueRequest {
  const parameters = { ...parametersOf(other), ...parametersOf(request) };
  return request.body === ''
    ? { ...request, query: inQuery({ ...request, query: '', body: JSON.stringify(parameters) }) }
    : { ...request, body: JSON.stringify(parameters) };
}

function withMore(request: VenueRequest, name: string, value: string): VenueRequest {
  return { ...request, query: joined(request.query, `${name}=${value}`) };
}

/** One meaning in two spellings: what stands in the body is refused, whoever reads it how. */
export function ambiguousBodies(body: string): readonly (readonly [string, string])[] {
  const inner = body.slice(1, -1);
  const [first = ''] = Object.keys(JSON.parse(body) as object);
  const twin = (name: string): string => `{${inner},${JSON.stringify(name)}:"1"}`;
  return [
    ['a key twice', twin(first)],
    ['a key again in capitals', twin(first.toUpperCase())],
    ['an escaped letter', body.replace(first, `\\u${hex4(first)}${first.slice(1)}`)],
    ['a letter of another script', body.replace(/[aeio]/, (letter) => LOOK_ALIKES[letter]!)],
    ['a prototype', `{${inner},"__proto__":{"x":1}}`],
    ['a line break', `{\n${inner}}`],
    ['two values', `${body}${body}`],
    ['a comma too many', `{${inner},}`],
    ['text', JSON.stringify(body)],
  ];
}

function hex4(text: string): string {
  return text.codePointAt(0)!.toString(16).padStart(4, '0');
}
