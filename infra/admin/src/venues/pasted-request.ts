/** A request as somebody has it at hand: a line of curl, or what stands in a log or in documents. */
import { shellWords } from './shell-words.js';

export interface PastedRequest {
  readonly method: string;
  /** Raw, from the path on: without scheme and host. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** It is no request that can be read; the message says what is not understood. */
export class UnreadablePasteError extends Error {}

/** `curl …`, or `METHOD TARGET` with headers and a blank line, or the body alone, behind it. Throws UnreadablePasteError. */
export function readPasted(text: string): PastedRequest {
  const pasted = text.trim();
  return /^curl\s/.test(pasted) ? readCurl(pasted) : readMessage(pasted);
}

function readMessage(text: string): PastedRequest {
  const match = /^([A-Za-z]+) +(\S+)(?: +HTTP\/[\d.]+)?[ \t]*\r?\n?([\s\S]*)$/.exec(text);
  if (match === null) throw new UnreadablePasteError('METHOD TARGET, or a line of curl');
  const [, method = '', target = '', rest = ''] = match;
  const headers = new Map<string, string>();
  let body = rest;
  for (let header; (header = /^([\w-]+): *([^\r\n]*)(?:\r?\n|$)/.exec(body)) !== null;) {
    headers.set(header[1]!.toLowerCase(), header[2]!);
    body = body.slice(header[0].length);
  }
  return {
    method: method.toUpperCase(),
    target: withoutHost(target),
    headers,
    body: body.replace(/^\r?\n/, ''),
  };
}

/** Options that say nothing of the request. */
const SILENT =
  /^(?:-[sSkivL]+|--(?:silent|show-error|insecure|include|verbose|location|compressed))$/;
const SILENT_WITH_VALUE =
  /^(?:-[Aoembwx]|--(?:user-agent|output|max-time|cookie|write-out|proxy))$/;

interface CurlParts {
  method?: string;
  url?: string;
  isGet?: boolean;
  readonly headers: Map<string, string>;
  readonly data: string[];
}

const OPTIONS: Readonly<Record<string, (parts: CurlParts, value: string) => void>> = {
  '-X': (parts, value) => (parts.method = value),
  '--request': (parts, value) => (parts.method = value),
  '--url': (parts, value) => (parts.url = value),
  '-H': addHeader,
  '--header': addHeader,
  '-d': ({ data }, value) => data.push(value),
  '--data': ({ data }, value) => data.push(value),
  '--data-raw': ({ data }, value) => data.push(value),
  '--data-ascii': ({ data }, value) => data.push(value),
  '--data-binary': ({ data }, value) => data.push(value),
  '--data-urlencode': ({ data }, value) => data.push(encoded(value)),
  '--json': ({ data }, value) => data.push(value),
};

function readCurl(text: string): PastedRequest {
  const words = shellWords(text)?.slice(1);
  if (words === undefined) throw new UnreadablePasteError('a quote that does not end');
  const parts: CurlParts = { headers: new Map(), data: [] };
  while (words.length > 0) takeOption(parts, words);
  const { url, isGet = false, data, headers } = parts;
  if (url === undefined) throw new UnreadablePasteError('a line of curl without a URL');
  const method = parts.method ?? (data.length > 0 && !isGet ? 'POST' : 'GET');
  const target = withoutHost(url);
  const body = data.join('&');
  if (!isGet || body === '') return { method: method.toUpperCase(), target, headers, body };
  const joined = `${target}${target.includes('?') ? '&' : '?'}${body}`;
  return { method: method.toUpperCase(), target: joined, headers, body: '' };
}

function takeOption(parts: CurlParts, words: string[]): void {
  const word = words.shift()!;
  // `-XPOST` and `--request=POST` as well
  const [, name = word, joined] = /^(-[A-Za-z]|--[a-z-]+(?==))=?([\s\S]+)$/.exec(word) ?? [];
  const option = OPTIONS[name];
  if (option !== undefined) {
    const value = joined ?? words.shift();
    if (value === undefined) throw new UnreadablePasteError(`${name} without a value`);
    if (value.startsWith('@')) throw new UnreadablePasteError(`${name} ${value}: paste the file`);
    option(parts, value);
  } else if (word === '-G' || word === '--get') parts.isGet = true;
  else if (SILENT_WITH_VALUE.test(word)) words.shift();
  else if (!word.startsWith('-')) parts.url = word;
  else if (!SILENT.test(word)) throw new UnreadablePasteError(`option ${word} is not understood`);
}

function addHeader({ headers }: CurlParts, line: string): void {
  const at = line.indexOf(':');
  if (at > 0) headers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
}

/** `name=value` or `value`, the value encoded. */
function encoded(text: string): string {
  const at = text.indexOf('=');
  return at < 0
    ? encodeURIComponent(text)
    : text.slice(0, at + 1) + encodeURIComponent(text.slice(at + 1));
}

function withoutHost(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  return path.startsWith('/') ? path : `/${path}`;
}
