const MAX_LENGTH = 64;
const UNSAFE = /[^A-Za-z0-9_.:/[\] -]/g;

/**
 * Quotes a name or word that a caller made up, for an error text. It ends up in logs, terminals and the audit log, so
 * it is cut short and keeps plain characters alone. For names, never for values that may be secret.
 */
export function quoteName(name: string): string {
  const safe = name.slice(0, MAX_LENGTH).replaceAll(UNSAFE, '?');
  return `"${safe}${name.length > MAX_LENGTH ? '...' : ''}"`;
}
