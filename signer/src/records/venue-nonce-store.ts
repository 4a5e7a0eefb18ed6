/**
 * The nonces that some venues want to rise with every request of a key, as this party has seen them. Both parties of a
 * signature must find its nonce above their own last one, and keep it before anything leaves. Since any two pairs have
 * a party in common, no nonce is given twice, across replicas, restarts and failovers.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createWaitingLines } from '@countersign/runtime/process/waiting-lines.js';
import type pg from 'pg';

const MAX_REMEMBERED = 10_000;

export interface NonceStore {
  /** Returns a nonce of at least `floor`, above every one taken or accepted for the key. */
  take(keyId: string, floor: bigint): Promise<bigint>;
  /** Whether `nonce` is above every one taken or accepted for the key; if so it is now the last. */
  accept(keyId: string, nonce: bigint): Promise<boolean>;
}

export function createNonceStore(pool: pg.Pool, party: PartyNumber): NonceStore {
  const table = `party_${party}.venue_nonce`;
  // a nonce that this process gave stays given, whatever the database says of it later
  const given = new BoundedMap<string, bigint>(MAX_REMEMBERED);
  const { inLine } = createWaitingLines();

  function isNew(keyId: string, nonce: bigint): boolean {
    if (nonce <= (given.get(keyId) ?? 0n)) return false;
    given.put(keyId, nonce);
    return true;
  }

  async function take(keyId: string, floor: bigint): Promise<bigint> {
    const { rows } = await pool.query<{ last: string }>({
      name: 'take_venue_nonce',
      text: `INSERT INTO ${table} AS known (key_id, last) VALUES ($1, $2)
             ON CONFLICT (key_id) DO UPDATE
               SET last = greatest(known.last + 1, excluded.last)
             RETURNING last`,
      values: [keyId, floor.toString()],
    });
    const nonce = BigInt(rows[0]!.last);
    if (!isNew(keyId, nonce)) throw new Error(`a nonce of key ${keyId} came twice`);
    return nonce;
  }

  async function accept(keyId: string, nonce: bigint): Promise<boolean> {
    const { rowCount } = await pool.query({
      name: 'accept_venue_nonce',
      text: `INSERT INTO ${table} AS known (key_id, last) VALUES ($1, $2)
             ON CONFLICT (key_id) DO UPDATE SET last = excluded.last
               WHERE known.last < excluded.last`,
      values: [keyId, nonce.toString()],
    });
    return rowCount === 1 && isNew(keyId, nonce);
  }

  // calls for one key take turns, so that answers come back in the order of the nonces
  return {
    take: (keyId, floor) => inLine(keyId, () => take(keyId, floor)),
    accept: (keyId, nonce) => inLine(keyId, () => accept(keyId, nonce)),
  };
}
