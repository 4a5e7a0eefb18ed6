/** Wraps the data keys of all that a party has sealed in its schema under another KEK. The sealed shares stay as they are. */
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
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
  read: 'key_id, scheme, version',
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
  /** Rows that neither KEK opens: they were damaged before, and are left as they are. */
  readonly unreadable: readonly string[];
}

/** In the transaction of `client`. What is under `to` already stays. */
export async function rewrapRows(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
  keks: { readonly from: KeyEncryptionKey; readonly to: KeyEncryptionKey },
): Promise<Rewrapped> {
  const done = [
    await rewrapTable(client, party, keks, KEY_SHARES),
    await rewrapTable(client, party, keks, RECIPIENTS),
    await rewrapTable(client, party, keks, STOCK),
  ];
  return {
    rewrapped: done.reduce((sum, { rewrapped }) => sum + rewrapped, 0),
    unreadable: done.flatMap(({ unreadable }) => unreadable),
  };
}

async function rewrapTable<R extends Row>(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
  { from, to }: { readonly from: KeyEncryptionKey; readonly to: KeyEncryptionKey },
  kind: SealedTable<R>,
): Promise<Rewrapped> {
  const table = `party_${party}.${kind.table}`;
  const { rows } = await client.query<R>(
    `SELECT ${kind.id} AS id, wrapped_dek, ${kind.read} FROM ${table}`,
  );
  const changed: { readonly id: string; readonly wrapped: Uint8Array }[] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    const wrapped = rewrap(row.wrapped_dek, kind.contextOf(row, party), from, to);
    if (wrapped === 'unreadable') unreadable.push(`${kind.table} ${row.id}`);
    else if (wrapped !== 'there already') changed.push({ id: row.id, wrapped });
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
  return { rewrapped: changed.length, unreadable };
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
  const there = unwrapOrNot(to, wrapped, aad);
  if (there === undefined) return 'unreadable';
  sodium.sodium_memzero(there);
  return 'there already';
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
