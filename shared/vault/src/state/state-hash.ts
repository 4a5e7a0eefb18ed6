import { createHash } from 'node:crypto';
import { List, Map, Set } from 'immutable';
import type { VaultState } from './state.js';

/**
 * SHA-256 (hex) of the whole state in one canonical spelling: maps by sorted key, tables in order.
 * Two nodes that folded the same log give the same hash, however the log reached them.
 */
export function stateHash(state: VaultState): string {
  return createHash('sha256').update(canonical(state)).digest('hex');
}

function canonical(value: unknown): string {
  if (List.isList(value)) return `[${value.map(canonical).join(',')}]`;
  if (Set.isSet(value)) return `{${value.map(canonical).toArray().toSorted().join(',')}}`;
  if (Map.isMap(value)) return object(value.toArray() as [string, unknown][]);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) return object(Object.entries(value));
  return JSON.stringify(value) ?? 'undefined';
}

function object(entries: [string, unknown][]): string {
  const fields = entries.map(([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`);
  return `{${fields.toSorted().join(',')}}`;
}
