/**
 * Writes sign records and results in one group-committed transaction. The primary key of
 * `request_result` is what makes an effect happen once: of two leads with the same request one commits,
 * and the other gives the first one's result.
 */
import { toHex } from '@countersign/core/bytes.js';
import { encodeOutcome, recordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import { createRecordChain } from '@countersign/runtime/records/record-chain.js';
import type pg from 'pg';
import { SIGN_RECORD_COLUMNS, signRecordFields, type SignRecord } from './sign-record.js';

export interface SignResult {
  /** 16 bytes, hex. */
  readonly submission: string;
  readonly receivedAt: number;
  readonly outcome: RecordedOutcome;
  /** The caller's evidence, its credential sealed. */
  readonly evidence: Buffer;
}

export interface RecordEntry {
  readonly record: SignRecord;
  /** The lead's alone. */
  readonly result?: SignResult | undefined;
}

/** undefined: written. Otherwise what another lead recorded for the request before. */
export interface EarlierResult {
  readonly submission: string;
  readonly outcome: RecordedOutcome;
}

export interface RecordWriter {
  /** Rejects when the records cannot be committed: then nothing may leave this party. */
  write(entries: readonly RecordEntry[]): Promise<(EarlierResult | undefined)[]>;
  drain(): Promise<void>;
}

const UNIQUE_VIOLATION = '23505';

export function createRecordWriter(
  pool: pg.Pool,
  party: PartyNumber,
  chainId: string,
): RecordWriter {
  const chain = createRecordChain(chainId);
  const statement = insertStatement(party);

  async function insert(entries: readonly RecordEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const rows = entries.map(({ record }) => signRecordFields(record));
    const links = chain.link(rows);
    const results = entries.flatMap(({ record, result }) =>
      result === undefined ? [] : [{ record, result }],
    );
    await pool.query({
      name: 'insert_sign_records',
      text: statement,
      values: [
        chainId,
        party,
        links.map((link) => link.seq),
        links.map((link) => link.prevHash),
        links.map((link) => link.hash),
        ...SIGN_RECORD_COLUMNS.map((_, column) =>
          rows.map((row) => (column === 0 ? new Date(Number(row[0])) : row[column])),
        ),
        results.map(({ record }) => record.requestId),
        results.map(({ result }) => Buffer.from(result.submission, 'hex')),
        results.map(({ record }) => record.action),
        results.map(({ record }) => record.actorId),
        results.map(({ result }) => new Date(result.receivedAt)),
        results.map(({ record }) => new Date(record.at)),
        results.map(({ result }) => result.outcome.outcome),
        results.map(({ result }) => encodeOutcome(result.outcome)),
        results.map(({ result }) => result.evidence),
      ],
    });
    chain.commit(links);
  }

  async function findEarlier(requestIds: readonly string[]): Promise<Map<string, EarlierResult>> {
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

  async function commit(entries: readonly RecordEntry[]): Promise<(EarlierResult | undefined)[]> {
    if (await tryInsert(entries)) return entries.map(() => undefined);
    // somebody recorded some of these requests before: those get their verdict, the others are written
    const earlier = await findEarlier(entries.flatMap(resultId));
    const verdicts = entries.map((entry) => earlier.get(resultId(entry)[0] ?? ''));
    if (await tryInsert(entries.filter((_, index) => verdicts[index] === undefined))) {
      return verdicts;
    }
    // another lead has come in between, or a request is here twice: one by one
    for (const [index, entry] of entries.entries()) verdicts[index] ??= await commitOne(entry);
    return verdicts;
  }

  /** Whether all were written; otherwise none was. */
  async function tryInsert(entries: readonly RecordEntry[]): Promise<boolean> {
    const ids = entries.flatMap(resultId);
    if (new Set(ids).size !== ids.length) return false;
    try {
      await insert(entries);
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async function commitOne(entry: RecordEntry): Promise<EarlierResult | undefined> {
    try {
      await insert([entry]);
      return undefined;
    } catch (error) {
      if (!isUniqueViolation(error) || entry.result === undefined) throw error;
      const { requestId } = entry.record;
      const earlier = (await findEarlier([requestId])).get(requestId);
      if (earlier === undefined) throw error;
      return earlier;
    }
  }

  const commits = createGroupCommit<RecordEntry, EarlierResult | undefined>(commit);
  return {
    write: (entries) => Promise.all(entries.map((entry) => commits.add(entry))),
    drain: () => commits.drain(),
  };
}

/** The request id of an entry that has a result: what must not come twice. */
function resultId({ record, result }: RecordEntry): string[] {
  return result === undefined ? [] : [record.requestId];
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}

/** One statement, so one round trip and one commit; all columns travel as arrays. */
function insertStatement(party: PartyNumber): string {
  const recordColumns = ['seq', 'prev_hash', 'hash', ...SIGN_RECORD_COLUMNS.map(([name]) => name)];
  const recordTypes = ['bigint', 'bytea', 'bytea', ...SIGN_RECORD_COLUMNS.map(([, type]) => type)];
  const resultTypes = ['uuid', 'bytea', 'text', 'uuid', 'timestamptz', 'timestamptz'];
  const moreTypes = ['text', 'bytea', 'bytea'];
  let parameter = 2;
  const arrays = (types: readonly string[]) =>
    types.map((type) => `$${++parameter}::${type}[]`).join(', ');
  const records = arrays(recordTypes);
  const results = arrays([...resultTypes, ...moreTypes]);
  return `WITH results AS (
      INSERT INTO request_result (request_id, submission, operation, created_by, received_at,
        completed_at, outcome, payload, evidence, lead)
      SELECT given.*, $2::smallint FROM unnest(${results}) AS given)
    INSERT INTO party_${party}.sign_record (chain_id, ${recordColumns.join(', ')})
    SELECT $1, given.* FROM unnest(${records}) AS given`;
}
