/**
 * Writes sign records and results in one group-committed transaction. The primary key of
 * `request_result` is what makes an effect happen once: of two leads with the same request one commits,
 * and the other gives the first one's result.
 */
import { toHex } from '@countersign/core/bytes.js';
import { recordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import { createRecordChain } from '@countersign/runtime/records/record-chain.js';
import type pg from 'pg';
import { commitOnce, type ResultTable } from './commit-once.js';
import { insertStatement, insertValues } from './insert-sign-records.js';
import type { EarlierResult, RecordEntry } from './record-entry.js';
import { signRecordFields } from '@countersign/runtime/records/sign-record.js';

export interface RecordWriter {
  /**
   * For each entry undefined when it was written, otherwise what another lead recorded for the request
   * before. Rejects when the records cannot be committed, or no more in time: then nothing may leave this party.
   */
  write(entries: readonly RecordEntry[]): Promise<(EarlierResult | undefined)[]>;
  drain(): Promise<void>;
}

const UNIQUE_VIOLATION = '23505';

export function createRecordWriter(
  pool: pg.Pool,
  party: PartyNumber,
  chainId: string,
  now: () => number,
): RecordWriter {
  const chain = createRecordChain(chainId);
  const text = insertStatement(party);

  const table: ResultTable = {
    async insert(entries) {
      if (entries.length === 0) return undefined;
      const links = chain.link(entries.map(({ record }) => signRecordFields(record)));
      const values = insertValues(chainId, party, entries, links);
      try {
        await sendInTime(pool, { name: 'insert_sign_records', text, values }, () =>
          entries.every(({ until = Infinity }) => now() <= until),
        );
      } catch (error) {
        if (isUniqueViolation(error)) return error;
        throw error;
      }
      chain.commit(links);
      return undefined;
    },
    findEarlier: (requestIds) => findEarlier(pool, requestIds),
  };

  const commits = createGroupCommit<RecordEntry, EarlierResult | undefined>((entries) =>
    commitOnce(table, entries),
  );
  return {
    write: (entries) => Promise.all(entries.map((entry) => commits.add(entry))),
    drain: () => commits.drain(),
  };
}

/**
 * Asked once a connection is there, however long that and the commits before took: what the database is sent it has,
 * committed or not.
 */
async function sendInTime(
  pool: Pick<pg.Pool, 'connect'>,
  query: pg.QueryConfig,
  isInTime: () => boolean,
): Promise<void> {
  const client = await pool.connect();
  const told = () => undefined; // a connection that breaks says so twice: the query rejects as well
  client.on('error', told);
  let fault: Error | undefined;
  try {
    if (!isInTime()) throw new Error('too late to commit');
    await client.query(query);
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    client.off('error', told);
    client.release(fault); // one that failed may still be busy: it is closed
  }
}

async function findEarlier(
  pool: pg.Pool,
  requestIds: readonly string[],
): Promise<Map<string, EarlierResult>> {
  const { rows } = await pool.query<{ request_id: string; submission: Buffer; payload: Buffer }>(
    'SELECT request_id, submission, payload FROM request_result WHERE request_id = ANY($1)',
    [requestIds],
  );
  return new Map(
    rows.map((row) => {
      const outcome = recordedOutcome(row.payload, row.request_id);
      return [row.request_id, { submission: toHex(row.submission), outcome }];
    }),
  );
}

function isUniqueViolation(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}
