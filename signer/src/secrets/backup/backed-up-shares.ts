/** A party's sealed shares in its own schema, as a backup has them. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import type pg from 'pg';
import type { BackedUpShare } from './party-backup.js';

export async function readShares(pool: pg.Pool, party: PartyNumber): Promise<BackedUpShare[]> {
  const { rows } = await pool.query<
    Omit<BackedUpShare, 'wrapped_dek' | 'sealed' | 'created_at'> & {
      readonly wrapped_dek: Buffer;
      readonly sealed: Buffer;
      readonly created_at: Date;
    }
  >(
    `SELECT key_id, session, scheme, version, kek_id, wrapped_dek, sealed, created_at
     FROM party_${party}.key_share ORDER BY key_id, session`,
  );
  return rows.map((row) => ({
    ...row,
    wrapped_dek: row.wrapped_dek.toString('base64'),
    sealed: row.sealed.toString('base64'),
    created_at: row.created_at.getTime(),
  }));
}

export interface RestoredShares {
  /** How many the database did not have. */
  readonly restored: number;
  /** Keys in force whose share is neither in the database nor in the backup. */
  readonly missing: readonly string[];
}

/**
 * Restores the shares that a key in force needs and the database does not have. A key that was destroyed since the
 * backup was made stays destroyed.
 */
export async function restoreShares(
  pool: pg.Pool,
  party: PartyNumber,
  { keys }: Pick<VaultState, 'keys'>,
  shares: readonly BackedUpShare[],
): Promise<RestoredShares> {
  const needed = keys.rows.valueSeq().filter(isInForce).toArray();
  const there = new Set((await readShares(pool, party)).map(placeOf));
  const backedUp = new Map(shares.map((share) => [placeOf(share), share]));
  const lost = needed
    .map(({ id, session }) => placeOf({ key_id: id, session }))
    .filter((place) => !there.has(place));
  const restored = lost.flatMap((place) => backedUp.get(place) ?? []);
  for (const share of restored) await insertShare(pool, party, share);
  const missing = lost.filter((place) => !backedUp.has(place)).map((place) => place.split(' ')[0]!);
  return { restored: restored.length, missing };
}

const placeOf = ({ key_id, session }: Pick<BackedUpShare, 'key_id' | 'session'>) =>
  `${key_id} ${session}`;

const isInForce = ({ status }: Key) => status === 'active' || status === 'disabled';

async function insertShare(pool: pg.Pool, party: PartyNumber, share: BackedUpShare): Promise<void> {
  const { key_id: keyId, session, scheme, version, kek_id: kekId, created_at: createdAt } = share;
  await pool.query(
    `INSERT INTO party_${party}.key_share (key_id, session, scheme, version, kek_id, wrapped_dek, sealed,
       created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[keyId, session, scheme, version, kekId],
      Buffer.from(share.wrapped_dek, 'base64'),
      Buffer.from(share.sealed, 'base64'),
      new Date(createdAt),
    ],
  );
}
