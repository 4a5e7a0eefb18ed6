/** This party's sealed shares lie in its own schema, which no other role may read. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type pg from 'pg';
import { ShareCache, type KeyOfSession, type StoredShare } from './share-cache.js';

export interface NewShare extends StoredShare {
  readonly scheme: string;
  readonly kekId: string;
  readonly createdAt: number;
}

export interface ShareStore {
  /** Loads ciphertext alone; the threads open it. Missing shares are left out. */
  load(keys: readonly KeyOfSession[]): Promise<Map<string, StoredShare>>;
  /** Has shares read anew: what was read does not open, and the row may be right by now. */
  forget(keyIds: readonly string[]): void;
  insert(share: NewShare): Promise<void>;
  /** Drops what other runs of the key's ceremony left. */
  deleteOtherSessions(keyId: string, session: string): Promise<void>;
  /** Deletes the shares of keys that no longer exist. */
  deleteAll(keyIds: readonly string[]): Promise<void>;
}

const MAX_CACHED = 50_000;

interface Row {
  key_id: string;
  session: string;
  version: number;
  wrapped_dek: Buffer;
  sealed: Buffer;
}

export function createShareStore(pool: pg.Pool, party: PartyNumber): ShareStore {
  const table = `party_${party}.key_share`;
  const cache = new ShareCache(MAX_CACHED);

  return {
    async load(keys) {
      const { found, missing } = cache.find(keys);
      if (missing.length === 0) return found;
      const { rows } = await pool.query<Row>({
        name: 'load_shares',
        text: `SELECT key_id, session, version, wrapped_dek, sealed FROM ${table}
               WHERE (key_id, session) IN (SELECT * FROM unnest($1::uuid[], $2::text[]))`,
        values: [missing.map((key) => key.keyId), missing.map((key) => key.session)],
      });
      for (const share of rows.map(toStoredShare)) {
        cache.remember(share);
        found.set(share.keyId, share);
      }
      return found;
    },
    forget: (keyIds) => cache.forget(keyIds),
    async insert(share) {
      await pool.query(
        `INSERT INTO ${table} (key_id, session, scheme, version, kek_id, wrapped_dek, sealed,
           created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          share.keyId,
          share.session,
          share.scheme,
          share.version,
          share.kekId,
          share.wrappedDek,
          share.sealed,
          new Date(share.createdAt),
        ],
      );
    },
    async deleteOtherSessions(keyId, session) {
      await pool.query(`DELETE FROM ${table} WHERE key_id = $1 AND session <> $2`, [
        keyId,
        session,
      ]);
    },
    async deleteAll(keyIds) {
      cache.forget(keyIds);
      await pool.query(`DELETE FROM ${table} WHERE key_id = ANY($1::uuid[])`, [keyIds]);
    },
  };
}

function toStoredShare(row: Row): StoredShare {
  return {
    keyId: row.key_id,
    session: row.session,
    version: row.version,
    wrappedDek: row.wrapped_dek,
    sealed: row.sealed,
  };
}
