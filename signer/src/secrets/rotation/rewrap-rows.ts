/** Wraps the data keys of all that a party has sealed in its schema under another KEK. The sealed shares stay as they are. */
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import type pg from 'pg';
import { KEY_VERSION } from '../../threads/sealed-share.js';
import { recipientContext, stockContext } from '../sealing/share-contexts.js';
import {
  encodeShareContext,
  type KeyEncryptionKey,
  type ShareContext,
} from '../sealing/share-seal.js';

const ROWS_AT_ONCE = 500;

interface Row {
  /** Names the row, as text. */
  readonly id: string;
  readonly wrapped_dek: Buffer;
}

interface KeyRow extends Row {
  readonly key_id: string;
  readonly kek_id: string;
  readonly scheme: string;
  readonly version: number;
}

interface SealedTable<R extends Row> {
  readonly table: string;
  /** An expression for `id`. */
  readonly id: string;
  readonly read: string;
  /** All columns, as the row that takes the place of `gone` has them; `$3` is the name of the new KEK. */
  readonly columns: string;
  contextOf(row: R, party: PartyNumber): ShareContext;
}

const KEY_SHARES: SealedTable<KeyRow> = {
  table: 'key_share',
  id: `key_id || ' ' || session`,
  read: 'key_id, scheme, version, kek_id',
  columns: 'gone.key_id, session, scheme, version, $3::text, wrapped, sealed, created_at',
  contextOf: ({ key_id: keyId, scheme, version }, party) => ({
    ...{ purpose: 'key share', keyId, party, scheme, version },
  }),
};

const RECIPIENTS: SealedTable<Row> = {
  table: 'import_recipient',
  id: 'recipient_id::text',
  read: 'expires_at',
  columns: 'recipient_id, wrapped, sealed, expires_at',
  contextOf: ({ id }, party) => recipientContext(party, id),
};

const STOCK: SealedTable<Row> = {
  table: 'rsa_stock',
  id: 'stock_id::text',
  read: 'created_at',
  columns: 'stock_id, wrapped, sealed, created_at',
  contextOf: ({ id }, party) => stockContext(party, id, KEY_VERSION),
};

export interface Rewrapped {
  readonly rewrapped: number;
  /** Rows that neither KEK opens: they were damaged before, and stay so. */
  readonly unreadable: readonly string[];
  /** How many of these are shares of keys. */
  readonly unreadableShares: number;
}

/**
 * Throws ConfigError where shares are under a KEK that is none of `keks`. They would be taken for damaged ones, and
 * their own KEK would be thrown away.
 */
export async function requireKnownKeks(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
  keks: readonly KeyEncryptionKey[],
): Promise<void> {
  const opens = (row: KeyRow) => {
    const aad = encodeShareContext(KEY_SHARES.contextOf(row, party));
    return keks.some((kek) => canUnwrap(kek, row.wrapped_dek, aad));
  };
  const known = new Set(keks.map(({ id }) => id));
  const others = (await readRows(client, party, KEY_SHARES)).filter(
    (row) => !known.has(row.kek_id) && !opens(row),
  );
  if (others.length === 0) return;
  const names = [...new Set(others.map((row) => row.kek_id))].join(', ');
  throw new ConfigError(
    `nothing was changed: the database has shares of party ${party} under another KEK (${others.length} under ` +
      `${names}) than this host's (${[...known].join(', ')}). If another host of the party has rotated, copy its KEK ` +
      'and keys to this one. If no host has that KEK, restore the party from a backup, or refresh the shares with the ' +
      'other two parties as dealers',
  );
}

/** In the transaction of `client`. What is under `to` already stays. */
export async function rewrapRows(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
  keks: { readonly from: KeyEncryptionKey; readonly to: KeyEncryptionKey },
): Promise<Rewrapped> {
  const shares = await rewrapTable(client, party, keks, KEY_SHARES);
  const done = [
    shares,
    await rewrapTable(client, party, keks, RECIPIENTS),
    await rewrapTable(client, party, keks, STOCK),
  ];
  return {
    rewrapped: done.reduce((sum, { rewrapped }) => sum + rewrapped, 0),
    unreadable: done.flatMap(({ unreadable }) => unreadable),
    unreadableShares: shares.unreadable.length,
  };
}

async function rewrapTable<R extends Row>(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
  { from, to }: { readonly from: KeyEncryptionKey; readonly to: KeyEncryptionKey },
  kind: SealedTable<R>,
): Promise<Omit<Rewrapped, 'unreadableShares'>> {
  const table = `party_${party}.${kind.table}`;
  const changed: { readonly id: string; readonly wrapped: Uint8Array }[] = [];
  const unreadable: string[] = [];
  for (const row of await readRows(client, party, kind)) {
    const wrapped = rewrap(row.wrapped_dek, kind.contextOf(row, party), from, to);
    if (wrapped === 'there already') continue;
    if (wrapped === 'unreadable') unreadable.push(`${kind.table} ${row.id}`);
    // a damaged share takes the name of the new KEK as well: it would pass for one under a third KEK the next time
    changed.push({ id: row.id, wrapped: wrapped === 'unreadable' ? row.wrapped_dek : wrapped });
  }
  for (let at = 0; at < changed.length; at += ROWS_AT_ONCE) {
    const part = changed.slice(at, at + ROWS_AT_ONCE);
    // the party may insert and delete such rows, and may change none
    await client.query(
      `WITH gone AS (DELETE FROM ${table} WHERE ${kind.id} = ANY ($1::text[]) RETURNING *, ${kind.id} AS id)
       INSERT INTO ${table} SELECT ${kind.columns}
       FROM gone JOIN unnest($1::text[], $2::bytea[]) AS made (id, wrapped) USING (id)
       ${kind.columns.includes('$3') ? '' : 'WHERE $3::text IS NOT NULL'}`,
      [part.map(({ id }) => id), part.map(({ wrapped }) => Buffer.from(wrapped)), to.id],
    );
  }
  return { rewrapped: changed.length - unreadable.length, unreadable };
}

async function readRows<R extends Row>(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
  kind: SealedTable<R>,
): Promise<R[]> {
  const { rows } = await client.query<R>(
    `SELECT ${kind.id} AS id, wrapped_dek, ${kind.read} FROM party_${party}.${kind.table}`,
  );
  return rows;
}

function rewrap(
  wrapped: Uint8Array,
  context: ShareContext,
  from: KeyEncryptionKey,
  to: KeyEncryptionKey,
): Uint8Array | 'there already' | 'unreadable' {
  const aad = encodeShareContext(context);
  const dek = unwrapOrNot(from, wrapped, aad);
  if (dek !== undefined) {
    const again = to.wrap(dek, aad);
    sodium.sodium_memzero(dek);
    return again;
  }
  return canUnwrap(to, wrapped, aad) ? 'there already' : 'unreadable';
}

function canUnwrap(kek: KeyEncryptionKey, wrapped: Uint8Array, aad: Uint8Array): boolean {
  const dek = unwrapOrNot(kek, wrapped, aad);
  if (dek !== undefined) sodium.sodium_memzero(dek);
  return dek !== undefined;
}

function unwrapOrNot(
  kek: KeyEncryptionKey,
  wrapped: Uint8Array,
  aad: Uint8Array,
): Uint8Array | undefined {
  try {
    return kek.unwrap(wrapped, aad);
  } catch {
    return undefined;
  }
}
