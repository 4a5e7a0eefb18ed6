/**
 * Logging by allow-list: a field that is not named here does not reach the log. Ids, counts, times, outcomes and
 * internal error text may be logged; a body, a header, a credential or a key never.
 */
import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

const ALLOWED = new Set([
  'event',
  'reason',
  'request_id',
  'http_request_id',
  'method',
  'route',
  'status',
  'err_type',
  'duration_ms',
  'outcome',
  'parties',
  'party',
  'replica',
  'key_id',
  'session',
  'batch_id',
  'batch_size',
  'seq',
  'state_hash',
  'host',
  'port',
  'count',
  'signal',
  'version',
  'entries',
]);

const MAX_TEXT = 500;

export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: onlyAllowed },
    serializers: {},
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Kept fast, since a process writes a line for each request and this is most of a line's cost. */
function onlyAllowed(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    if (ALLOWED.has(key)) kept[key] = sanitize(fields[key]);
  }
  return kept;
}

const CONTROL = /\p{Cc}/u;
const EACH_CONTROL = /\p{Cc}/gu;

/** Line breaks, ANSI escapes and megabytes have no place in a log line. */
function sanitize(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = CONTROL.test(value) ? value.replaceAll(EACH_CONTROL, ' ') : value;
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
}
