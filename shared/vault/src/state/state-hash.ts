import { createHash } from 'node:crypto';
import { List, Map, Set } from 'immutable';
import { generatedMark } from './key-marks.js';
import { ownerOf } from './public-key-owners.js';
import type { VaultState } from './state.js';
import { isTable } from './table.js';

/**
 * SHA-256 (hex) of the whole state in one canonical spelling: maps by sorted key, tables in order. Nodes that folded
 * the same log give the same hash, however the log reached them.
 */
export function stateHash(state: VaultState): string {
  const hashed = { ...withoutIndexes(state), ...lookups(state), ...formerParties(state) };
  return createHash('sha256').update(canonical(hashed)).digest('hex');
}

/** Tables that are newer than recorded ledgers: one that was never used is in no hash. */
const CAME_LATER: readonly string[] = ['pendingRequests'];

function withoutIndexes(state: VaultState): object {
  const used = Object.entries(state).filter(
    ([name, value]: [string, unknown]) =>
      !CAME_LATER.includes(name) || (isTable(value) && value.order.size > 0),
  );
  const fields = used.map(([name, value]: [string, unknown]) => [
    name,
    isTable(value) ? { rows: value.rows, order: value.order } : value,
  ]);
  return Object.fromEntries(fields);
}

/**
 * These indexes are hashed under names and in forms of their own, because recorded hashes hold them so. An index that
 * is not here follows from the rows, as they are and were, and is not hashed.
 */
function lookups({ users, wallets, keys, securityGroups }: VaultState): object {
  const { byPublicKey, pending } = keys.indexes;
  const isGenerated = (publicKey: string) =>
    ownerOf(byPublicKey, generatedMark(publicKey)) !== undefined;
  return {
    userIdByApiKey: users.indexes.byApiKey,
    userIdByEmail: users.indexes.byEmail,
    walletIdByAddress: wallets.indexes.byAddress,
    walletIdsByVault: wallets.indexes.byVault.map((order) => {
      const present = order.filter((id) => wallets.rows.has(id));
      return { order, rows: Map(present.map((id) => [id, { id }])) };
    }),
    groupIdsByMember: securityGroups.indexes.byMember,
    generatedPublicKeys: byPublicKey.keySeq().filter(isGenerated).toSet(),
    keyIdsPending: pending,
  };
}

/** Without the time of a replacement, which follows from its place in the ledger: recorded hashes do not hold it. */
function formerParties({ formerParties: former }: VaultState): object {
  if (former === undefined) return {};
  return { formerParties: former.map(({ replacedAt: _time, ...row }) => row) };
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
