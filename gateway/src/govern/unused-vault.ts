/**
 * Whether a vault is as its genesis made it. Every signed request that a gateway lets in, and that has an effect,
 * leaves an entry in the ledger or a row here. A signed read leaves neither, and may be repeated without harm.
 */
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type pg from 'pg';
import type { Journal } from './journal.js';

const HAS_RECORDS = `SELECT EXISTS (SELECT FROM refused_request)
  OR EXISTS (SELECT FROM signing_request)
  OR EXISTS (SELECT FROM request_result) AS used`;

/** Describes the time of the call or later. Rejects when a store does not answer. */
export function createUnusedCheck({
  follower,
  journal,
  pool,
}: {
  readonly follower: Pick<LedgerFollower, 'catchUp'>;
  readonly journal: Pick<Journal, 'entries'>;
  readonly pool: Pick<pg.Pool, 'query'>;
}): () => Promise<boolean> {
  return async () => {
    await follower.catchUp(); // another gateway may have written since this one last looked
    if (journal.entries.some(({ kind }) => kind === 'evidence')) return false;
    const { rows } = await pool.query<{ used: boolean }>(HAS_RECORDS);
    return rows[0]?.used === false;
  };
}
