/** A party's sealed shares in its own schema, as a backup has them. */
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import type pg from 'pg';
import { inTransaction } from '../../records/in-transaction.js';
import { openShare, ShareSealError, type KeyEncryptionKey } from '../sealing/share-seal.js';
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

/** Opens a share, and wipes it at once. */
export async function isReadable(
  { party, kek }: SharesUnderKek,
  { key_id: keyId, scheme, version, wrapped_dek: wrappedDek, sealed }: BackedUpShare,
): Promise<boolean> {
  const aad = { purpose: 'key share', keyId, party, scheme, version } as const;
  try {
    const share = await openShare({
      ...{ kek, aad },
      wrappedDek: Buffer.from(wrappedDek, 'base64'),
      sealed: Buffer.from(sealed, 'base64'),
    });
    sodium.sodium_memzero(share);
    return true;
  } catch (error) {
    if (error instanceof ShareSealError) return false;
    throw error;
  }
}

export interface SharesUnderKek {
  readonly party: PartyNumber;
  readonly kek: KeyEncryptionKey;
}

export interface RestoredShares {
  /** How many the database did not have, or not in a form that opens. */
  readonly restored: number;
  /** Keys in force of which neither the database nor the backup has a share that opens. */
  readonly missing: readonly string[];
}

/**
 * Restores the shares that a key in force needs and the database does not have: a row that does not open is none. One
 * that opens is never replaced, and a row that the backup cannot replace stays. A key that was destroyed since the
 * backup was made stays destroyed. All shares are restored, or none.
 */
export async function restoreShares(
  pool: pg.Pool,
  own: SharesUnderKek,
  { keys }: Pick<VaultState, 'keys'>,
  shares: readonly BackedUpShare[],
): Promise<RestoredShares> {
  const needed = keys.rows.valueSeq().filter(isInForce).toArray();
  const there = new Map((await readShares(pool, own.party)).map((row) => [placeOf(row), row]));
  const backedUp = new Map(shares.map((share) => [placeOf(share), share]));
  const restored: BackedUpShare[] = [];
  const missing: string[] = [];
  for (const { id, session } of needed) {
    const place = placeOf({ key_id: id, session });
    const opens = async (share: BackedUpShare | undefined) =>
      share !== undefined && (await isReadable(own, share));
    if (await opens(there.get(place))) continue;
    const share = backedUp.get(place);
    if (share !== undefined && (await opens(share))) restored.push(share);
    else missing.push(id);
  }
  await inTransaction(pool, async (client) => {
    for (const share of restored) await putShare(client, own.party, share);
  });
  return { restored: restored.length, missing };
}

const placeOf = ({ key_id, session }: Pick<BackedUpShare, 'key_id' | 'session'>) =>
  `${key_id} ${session}`;

const isInForce = ({ status }: Key) => status === 'active' || status === 'disabled';

async function putShare(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
  share: BackedUpShare,
): Promise<void> {
  const { key_id: keyId, session, scheme, version, kek_id: kekId, created_at: createdAt } = share;
  const table = `party_${party}.key_share`;
  await client.query(`DELETE FROM ${table} WHERE key_id = $1 AND session = $2`, [keyId, session]);
  await client.query(
    `INSERT INTO ${table} (key_id, session, scheme, version, kek_id, wrapped_dek, sealed, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[keyId, session, scheme, version, kekId],
      Buffer.from(share.wrapped_dek, 'base64'),
      Buffer.from(share.sealed, 'base64'),
      new Date(createdAt),
    ],
  );
}
