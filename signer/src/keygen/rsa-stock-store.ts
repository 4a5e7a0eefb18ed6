/** RSA keys made ahead, as this party holds its shares of them: not in the ledger until one is assigned. */
import type { PartyNumber } from '@countersign/shared/ledger/state.js';
import type pg from 'pg';
import type { SealedShare } from '../threads/share-seal.js';

export interface StockedShare extends SealedShare {
  readonly stockId: string;
  readonly modulusBits: number;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  /** Of the run that made it, 32 bytes. */
  readonly transcriptHash: Uint8Array;
}

export interface RsaStockStore {
  insert(share: StockedShare): Promise<void>;
  count(): Promise<number>;
  /** The id of the oldest, or undefined. */
  findOldest(modulusBits: number): Promise<string | undefined>;
  /** Removes it and gives it away: a key is assigned once. */
  take(stockId: string): Promise<StockedShare | undefined>;
}

interface Row {
  modulus_bits: number;
  wrapped_dek: Buffer;
  sealed: Buffer;
  public_key: Buffer;
  transcript_hash: Buffer;
}

export function createRsaStockStore(pool: pg.Pool, party: PartyNumber): RsaStockStore {
  const table = `party_${party}.rsa_stock`;
  return {
    async insert({ stockId, modulusBits, wrappedDek, sealed, publicKey, transcriptHash }) {
      await pool.query(
        `INSERT INTO ${table} (stock_id, modulus_bits, wrapped_dek, sealed, public_key,
           transcript_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6, now())`,
        [stockId, modulusBits, wrappedDek, sealed, publicKey, transcriptHash],
      );
    },
    async count() {
      const { rows } = await pool.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
      return Number(rows[0]!.count);
    },
    async findOldest(modulusBits) {
      const { rows } = await pool.query<{ stock_id: string }>(
        `SELECT stock_id FROM ${table} WHERE modulus_bits = $1 ORDER BY created_at LIMIT 1`,
        [modulusBits],
      );
      return rows[0]?.stock_id;
    },
    async take(stockId) {
      const { rows } = await pool.query<Row>(
        `DELETE FROM ${table} WHERE stock_id = $1
         RETURNING modulus_bits, wrapped_dek, sealed, public_key, transcript_hash`,
        [stockId],
      );
      const row = rows[0];
      return (
        row && {
          stockId,
          modulusBits: row.modulus_bits,
          wrappedDek: row.wrapped_dek,
          sealed: row.sealed,
          publicKey: Uint8Array.from(row.public_key),
          transcriptHash: Uint8Array.from(row.transcript_hash),
        }
      );
    },
  };
}
