/** A request as ccxt signed it, and what of it the vault is asked to sign. */
import { isMessage, without, type Dialect } from './venue-dialects.js';

export type Headers = Readonly<Record<string, string>>;

/** As ccxt hands it to its fetch. */
export interface CcxtRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers | undefined;
  readonly body: string | undefined;
}

/** A venue request of the vault's API, without its channel. */
export interface UnsignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

/** A request as the vault signed it. */
export interface SignedRequest extends UnsignedRequest {
  readonly headers: Headers;
}

/** Undefined for a request that ccxt did not sign. */
export function unsignedOf(request: CcxtRequest, dialect: Dialect): UnsignedRequest | undefined {
  const { url, method, headers = {}, body = '' } = request;
  const { origin } = new URL(url);
  const [path = '', ...rest] = url.slice(origin.length).split('?');
  const query = rest.join('?');
  if (!isSigned(dialect, headers, [query, body])) return undefined;
  return { method, path, query: unownedForm(query, dialect), body: unownedBody(body, dialect) };
}

/**
 * Whether the vault gave what was asked of it, and to the same place, with nothing but its own put in. Whoever stands
 * where the vault should could otherwise have a bot send what it never asked for, or to a host of their choice; and where
 * a venue's signature covers no body, with another one.
 */
export function isAnswerTo(
  signed: SignedRequest,
  asked: UnsignedRequest,
  dialect: Dialect,
): boolean {
  const isSamePlace = signed.method === asked.method && signed.path === asked.path;
  return (
    isSamePlace &&
    areOwnHeaders(signed.headers, dialect) &&
    isFormFor(signed.query, asked.query, dialect) &&
    isBodyFor(signed.body, asked.body, dialect)
  );
}

/** What the vault may put in: nothing that ends a query, a header or a string. */
const OWN_VALUE = /^[A-Za-z0-9%+/=_.:-]*$/;
/** In a header, which may hold a passphrase: nothing that ends it. */
const OWN_HEADER = /^[ -~]*$/;
const CONTENT_TYPE = /^application\/(json|x-www-form-urlencoded)(; ?charset=utf-8)?$/i;

/** A header of another name could lead the request elsewhere, or have it read in another way. */
function areOwnHeaders(headers: Headers, { ownHeaders }: Dialect): boolean {
  return Object.entries(headers).every(([name, value]) =>
    name.toLowerCase() === 'content-type'
      ? CONTENT_TYPE.test(value)
      : ownHeaders.test(name) && OWN_HEADER.test(value),
  );
}

/** Byte for byte what was asked for, with each of the vault's own at most once. */
function isFormFor(form: string, asked: string, dialect: Dialect): boolean {
  const pairs = form.split('&');
  const own = pairs.filter((pair) => isOwned(pair, dialect));
  const names = own.map(nameOf);
  const kept = pairs.filter((pair) => !isOwned(pair, dialect)).join('&');
  return (
    new Set(names).size === names.length &&
    own.every((pair) => OWN_VALUE.test(pair.slice(nameOf(pair).length + 1))) &&
    isSameText(kept, asked, dialect)
  );
}

function isBodyFor(body: string, asked: string, dialect: Dialect): boolean {
  if (dialect.owned.length === 0 || body === '') return isSameText(body, asked, dialect);
  if (!body.startsWith('{')) return isFormFor(body, asked, dialect);
  const value: unknown = JSON.parse(body);
  // a name that stands twice would be gone from what is written again
  if (!isMessage(value) || JSON.stringify(value) !== body) return false;
  return (
    dialect.owned.every((name) => isOwnValue(value[name])) &&
    JSON.stringify(without(value, dialect.owned)) === asked
  );
}

/** Kraken's nonce is a number or its text; absent where the vault put none in. */
function isOwnValue(value: unknown): boolean {
  if (value === undefined || typeof value === 'number') return true;
  return typeof value === 'string' && OWN_VALUE.test(value);
}

function nameOf(pair: string): string {
  return pair.split('=')[0] ?? '';
}

function isOwned(pair: string, { owned }: Dialect): boolean {
  return owned.includes(nameOf(pair));
}

/** Binance' window of time may have been put behind it. */
function isSameText(given: string, asked: string, { signature }: Dialect): boolean {
  if (given === asked) return true;
  // glued to the last value it would be another value
  const before = asked === '' ? '' : `${asked}&`;
  const isMore = 'parameter' in signature && given.startsWith(before);
  return isMore && /^recvWindow=\d+$/.test(given.slice(before.length));
}

/** The request that goes to the venue: the vault's, with what else ccxt had in its headers. */
export function signedRequest(
  { url, headers = {} }: CcxtRequest,
  signed: SignedRequest,
  { ownHeaders }: Dialect,
): CcxtRequest {
  const query = signed.query === '' ? '' : `?${signed.query}`;
  const stated = new Set(Object.keys(signed.headers).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(
    ([name]) => !ownHeaders.test(name) && !stated.has(name.toLowerCase()),
  );
  return {
    url: `${new URL(url).origin}${signed.path}${query}`,
    method: signed.method,
    headers: { ...Object.fromEntries(kept), ...signed.headers },
    body: signed.body === '' ? undefined : signed.body,
  };
}

function isSigned({ signature }: Dialect, headers: Headers, forms: readonly string[]): boolean {
  if ('header' in signature) {
    return Object.keys(headers).some((name) => name.toLowerCase() === signature.header);
  }
  const mark = `${signature.parameter}=`;
  return forms.some((form) => form.split('&').some((one) => one.startsWith(mark)));
}

/**
 * What is left stays in its order. Characters that a form does not carry as they are (ccxt writes Binance' lists so) are
 * percent-encoded: the vault signs one spelling of a value.
 */
function unownedForm(form: string, dialect: Dialect): string {
  const kept = form.split('&').filter((one) => !isOwned(one, dialect));
  const isEncoded = 'header' in dialect.signature;
  return (isEncoded ? kept : kept.map(encodeRest)).join('&');
}

function encodeRest(pair: string): string {
  return pair.replaceAll(/[^\w.~%+!*'()=-]/gu, encodeURIComponent);
}

function unownedBody(body: string, dialect: Dialect): string {
  if (dialect.owned.length === 0 || body === '') return body;
  if (!body.startsWith('{')) return unownedForm(body, dialect);
  const value: unknown = JSON.parse(body);
  return isMessage(value) ? JSON.stringify(without(value, dialect.owned)) : body;
}
