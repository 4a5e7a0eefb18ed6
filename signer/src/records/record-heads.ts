/** Where a party's chains of records stand, as its own schema has them. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ChainHead } from '@countersign/core/party-statements.js';
import type pg from 'pg';

export interface RecordHeads {
  /** The last record of each chain, of all replicas that the party ever had. */
  read(): Promise<ChainHead[]>;
  /** The records at these places, by chain, where they exist. */
  find(places: Iterable<ChainHead>): Promise<ReadonlyMap<string, ChainHead>>;
}

interface Row {
  chain_id: string;
  seq: string;
  hash: Buffer;
}

export function createRecordHeads(pool: pg.Pool, party: PartyNumber): RecordHeads {
  const table = `party_${party}.sign_record`;
  return {
    async read() {
      // goes from chain to chain through the primary key: the records between are not read
      const { rows } = await pool.query<Row>(`
        WITH RECURSIVE chain (id) AS (
          (SELECT chain_id FROM ${table} ORDER BY chain_id LIMIT 1)
          UNION ALL
          SELECT (SELECT chain_id FROM ${table} WHERE chain_id > chain.id ORDER BY chain_id LIMIT 1)
          FROM chain WHERE chain.id IS NOT NULL)
        SELECT head.* FROM chain
        CROSS JOIN LATERAL (SELECT chain_id, seq, hash FROM ${table}
          WHERE chain_id = chain.id ORDER BY seq DESC LIMIT 1) AS head`);
      return rows.map(toHead);
    },
    async find(places) {
      const heads = [...places];
      const { rows } = await pool.query<Row>(
        `SELECT chain_id, seq, hash FROM unnest($1::text[], $2::bigint[]) AS place (id, number)
         JOIN ${table} ON chain_id = place.id AND seq = place.number`,
        [heads.map(({ chainId }) => chainId), heads.map(({ seq }) => seq)],
      );
      return new Map(rows.map((row) => [row.chain_id, toHead(row)]));
    },
  };
}

function toHead({ chain_id: chainId, seq, hash }: Row): ChainHead {
  return { chainId, seq: Number(seq), hash };
}
