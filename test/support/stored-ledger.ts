/** The ledger as it lies in the database, and what an honest fold makes of it. */
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { query } from './signing-load.ts';
import { eventually } from './test-vault.ts';

interface StoredRow {
  seq: string;
  prev_hash: Buffer;
  hash: Buffer;
  body: Buffer;
}

/** As the role of the connection is shown it. */
export async function readStoredLedger(connectionString: string): Promise<EntryRow[]> {
  const rows = await query<StoredRow>(
    connectionString,
    'SELECT seq, prev_hash, hash, body FROM ledger_entry ORDER BY seq',
  );
  return rows.map((row) => ({
    seq: Number(row.seq),
    prevHash: row.prev_hash,
    hash: row.hash,
    body: row.body,
  }));
}

/** By a role that may append, and nothing else: the sequence numbers. */
export async function appendStored(
  connectionString: string,
  bodies: readonly Uint8Array[],
): Promise<number[]> {
  const rows = await query<{ seq: string }>(
    connectionString,
    'SELECT seq FROM countersign_append($1::bytea[])',
    [bodies],
  );
  return rows.map(({ seq }) => Number(seq));
}

export function foldRows(
  rows: readonly EntryRow[],
  keys: EvidenceKeys,
): { view: LedgerView; outcomes: EntryOutcome[] } {
  const fold = createFold({ keys, findChanges: findRowChanges });
  const outcomes = fold.advance(rows);
  return { view: fold.view, outcomes };
}

/** What an entry came to, once two parties have judged it. */
export function judgedOutcome(
  connectionString: string,
  keys: EvidenceKeys,
  seq: number,
): Promise<EntryOutcome> {
  return eventually(async () =>
    foldRows(await readStoredLedger(connectionString), keys).outcomes.find(
      (outcome) => outcome.seq === seq,
    ),
  );
}
