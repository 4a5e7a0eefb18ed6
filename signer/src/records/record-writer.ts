/**
 * Writes sign records, the one message of each request, and results in one group-committed transaction. It writes
 * nothing a second time for a request that is known: the caller is told what is known, and decides.
 */
import { toHex } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import {
  createRecordChain,
  EMPTY_CHAIN,
  type ChainLink,
  type ChainPlace,
  type RecordChain,
} from '@countersign/runtime/records/record-chain.js';
import { signRecordFields } from '@countersign/runtime/records/sign-record.js';
import type pg from 'pg';
import type { RequestMessage } from '../requests/request-memory.js';
import { commitOnce, type RequestTables } from './commit-once.js';
import { createDoubtfulCommits, NotSentError, type DoubtfulCommits } from './doubtful-commits.js';
import { insertStatement, insertValues } from './insert-sign-records.js';
import type { KnownRequest, RecordEntry, StoredResult } from './record-entry.js';
import { createTrials, trialValues } from './trial-record.js';

export interface RecordWriter {
  /**
   * Returns for each entry undefined when it was written, otherwise what is known of its request. Rejects when the
   * records cannot be committed, or not in time: then nothing may leave this party.
   */
  write(entries: readonly RecordEntry[]): Promise<(KnownRequest | undefined)[]>;
  /** Why no record can be written now, or undefined. Writes one and takes it back, once a second at most. */
  findTrouble(): Promise<string | undefined>;
  drain(): Promise<void>;
}

/** Takes its turn in the queue of entries. */
const TRIAL = 'trial';
type Trial = typeof TRIAL;

/** Some of the entries came too late, so none was sent: the others may be sent without them. */
class TooLateError extends NotSentError {
  readonly late: readonly RecordEntry[];

  constructor(late: readonly RecordEntry[]) {
    super('too late to commit');
    this.late = late;
  }
}

/** What became of an entry: what is known of its request, if that stood in its way, or why it was left out. */
type Written = KnownRequest | TooLateError | undefined;

/** Undefined when all was written, otherwise why nothing was. */
type Insertion = Error | undefined;

const UNIQUE_VIOLATION = '23505';

/** `leaseClock`: the one by which its entries' `until` counts, ms. */
export function createRecordWriter(
  pool: pg.Pool,
  party: PartyNumber,
  chainId: string,
  leaseClock: () => number,
  onStrangeHead: (reason: string) => void = () => undefined,
): RecordWriter {
  const chain = createRecordChain(chainId);
  const doubts = createDoubtfulCommits(chain, () => readHead(pool, party, chainId), onStrangeHead);
  const insert = createInsert(pool, party, chain, leaseClock);
  const commit = createCommit(doubts, insert, (entries) => findKnown(pool, party, entries));

  async function tryWriting(): Promise<void> {
    await doubts.settle();
    const text = insertStatement(party);
    await sendAndTakeBack(pool, { text, values: trialValues(party, chainId) });
  }

  const commits = createGroupCommit<RecordEntry | Trial, Written>(async (items) => {
    const entries = items.filter((item) => item !== TRIAL);
    // entries written beside it show as much
    if (entries.length === 0) await tryWriting();
    const written = (await commit(entries)).values();
    return items.map((item) => (item === TRIAL ? undefined : written.next().value));
  });

  async function writeOne(entry: RecordEntry): Promise<KnownRequest | undefined> {
    const written = await commits.add(entry);
    if (written instanceof TooLateError) throw written;
    return written;
  }

  return {
    write: (entries) => Promise.all(entries.map(writeOne)),
    findTrouble: createTrials(() => commits.add(TRIAL), leaseClock),
    drain: () => commits.drain(),
  };
}

/** One result for each entry, in order. What came too late is left out, and keeps no other entry from being written. */
function createCommit(
  doubts: DoubtfulCommits,
  insert: Insert,
  findKnown: RequestTables['findKnown'],
): (entries: readonly RecordEntry[]) => Promise<Written[]> {
  /** Adds to `late` what came too late: the rest is linked anew and sent without it. */
  async function insertInTime(
    entries: readonly RecordEntry[],
    late: Set<RecordEntry>,
  ): Promise<Insertion> {
    const left = entries.filter((entry) => !late.has(entry));
    if (left.length === 0) return undefined;
    const fields = left.map(({ record }) => signRecordFields(record));
    try {
      return await doubts.write(fields, (links) => insert(left, links));
    } catch (error) {
      if (!(error instanceof TooLateError)) throw error;
      for (const entry of error.late) late.add(entry);
      return insertInTime(left, late);
    }
  }

  return async (entries) => {
    const late = new Set<RecordEntry>();
    const known = await commitOnce(
      { insert: (each) => insertInTime(each, late), findKnown },
      entries,
    );
    return entries.map((entry, index) =>
      late.has(entry) ? new TooLateError([entry]) : known[index],
    );
  };
}

type Insert = (entries: readonly RecordEntry[], links: readonly ChainLink[]) => Promise<Insertion>;

/** Writes entries with their links, or none and resolves with the reason. */
function createInsert(
  pool: pg.Pool,
  party: PartyNumber,
  chain: RecordChain,
  leaseClock: () => number,
): Insert {
  const text = insertStatement(party);
  return async (entries, links) => {
    const values = insertValues(chain.id, party, entries, links);
    const refuseLate = () => {
      const at = leaseClock();
      const late = entries.filter(({ until = Infinity }) => at > until);
      if (late.length > 0) throw new TooLateError(late);
    };
    try {
      const query = { name: 'insert_sign_records', text, values };
      const written = await sendInTime(pool, query, refuseLate);
      return written === 0 ? new Error('a request has a result') : undefined;
    } catch (error) {
      if (isUniqueViolation(error)) return error;
      throw error;
    }
  };
}

/** Where the database says that this writer's chain stands. */
async function readHead(pool: pg.Pool, party: PartyNumber, chainId: string): Promise<ChainPlace> {
  const { rows } = await pool.query<{ seq: string; hash: Buffer }>(
    `SELECT seq, hash FROM party_${party}.sign_record WHERE chain_id = $1 ORDER BY seq DESC LIMIT 1`,
    [chainId],
  );
  const [head] = rows;
  return head === undefined ? EMPTY_CHAIN : { seq: Number(head.seq), hash: head.hash };
}

/**
 * `refuseLate` is asked once there is a connection, however long that and earlier commits took: what is sent to the
 * database it has, committed or not.
 */
async function sendInTime(
  pool: Pick<pg.Pool, 'connect'>,
  query: pg.QueryConfig,
  refuseLate: () => void,
): Promise<number> {
  const client = await connect(pool);
  const told = () => undefined; // a connection that breaks tells it twice: the query rejects as well
  client.on('error', told);
  let fault: Error | undefined;
  try {
    refuseLate();
    const { rowCount } = await client.query(query);
    return rowCount ?? 0;
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    client.off('error', told);
    client.release(fault); // a connection that failed may still be busy, so it is closed
  }
}

async function sendAndTakeBack(
  pool: Pick<pg.Pool, 'connect'>,
  query: pg.QueryConfig,
): Promise<void> {
  const client = await connect(pool);
  const told = () => undefined;
  client.on('error', told);
  let fault: Error | undefined;
  try {
    await client.query('BEGIN');
    await client.query(query);
    await client.query('ROLLBACK');
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    client.off('error', told);
    client.release(fault); // closing it takes back what it began
  }
}

async function connect(pool: Pick<pg.Pool, 'connect'>): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw new NotSentError('no connection to the database', { cause });
  }
}

interface KnownRow {
  request_id: string;
  signed_at: string | null;
  nonce: string | null;
  message_sha256: Buffer | null;
  lead: number | null;
  payload: Buffer | null;
}

async function findKnown(
  pool: pg.Pool,
  party: PartyNumber,
  entries: readonly RecordEntry[],
): Promise<Map<string, KnownRequest>> {
  const asked = new Map(entries.map(({ record, askedAt }) => [record.requestId, askedAt]));
  const { rows } = await pool.query<KnownRow>(
    `SELECT request_id, signed_at, nonce, message_sha256, lead, payload
     FROM unnest($1::uuid[], $2::bigint[]) AS asked (request_id, asked_at)
       LEFT JOIN LATERAL (SELECT signed_at, nonce, message_sha256 FROM party_${party}.request_message AS known
         WHERE known.request_id = asked.request_id AND known.asked_at = asked.asked_at LIMIT 1) AS given ON true
       LEFT JOIN LATERAL (SELECT lead, payload FROM request_result AS result
         WHERE result.request_id = asked.request_id LIMIT 3) AS answered ON true
     WHERE signed_at IS NOT NULL OR lead IS NOT NULL`,
    [[...asked.keys()], [...asked.values()]],
  );
  const known = new Map<string, { message: RequestMessage | undefined; results: StoredResult[] }>();
  for (const row of rows) {
    const entry = known.get(row.request_id) ?? { message: messageOf(row), results: [] };
    const { lead, payload } = row;
    if (lead !== null && payload !== null) entry.results.push({ lead, payload });
    known.set(row.request_id, entry);
  }
  return known;
}

function messageOf({ signed_at: at, nonce, message_sha256: hash }: KnownRow) {
  if (at === null || nonce === null || hash === null) return undefined;
  return { at: Number(at), nonce: BigInt(nonce), sha256: toHex(hash) };
}

function isUniqueViolation(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}
