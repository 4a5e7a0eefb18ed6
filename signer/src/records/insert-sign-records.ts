/** One statement writes sign records, messages of requests and results, in one round trip and one commit. */
import { encodeOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ChainLink } from '@countersign/runtime/records/record-chain.js';
import type { RecordEntry, SignResult } from './record-entry.js';
import { SIGN_RECORD_COLUMNS, signRecordFields } from '@countersign/runtime/records/sign-record.js';

const CHAIN_COLUMNS = [
  ['seq', 'bigint'],
  ['prev_hash', 'bytea'],
  ['hash', 'bytea'],
] as const;
const MESSAGE_COLUMNS = [
  ['request_id', 'uuid'],
  ['signed_at', 'bigint'],
  ['nonce', 'bigint'],
  ['message_sha256', 'bytea'],
  ['asked_at', 'bigint'],
] as const;
const RESULT_COLUMNS = [
  ['request_id', 'uuid'],
  ['operation', 'text'],
  ['created_by', 'uuid'],
  ['received_at', 'timestamptz'],
  ['completed_at', 'timestamptz'],
  ['outcome', 'text'],
  ['payload', 'bytea'],
  ['evidence', 'bytea'],
  ['batch_id', 'uuid'],
  ['batch_index', 'smallint'],
] as const;
const BATCH_COLUMNS = [
  ['batch_id', 'uuid'],
  ['writer', 'smallint'],
  ['written_at', 'timestamptz'],
  ['evidence', 'bytea'],
] as const;

/**
 * All columns travel as arrays, which {@link insertValues} has in this order. Writes nothing at all when a request that
 * is asked about has a result of any lead already. The primary keys refuse a second message, and a second result of the
 * same lead. Requests are looked up one by one: a plan made while the table was small would read all of it.
 */
export function insertStatement(party: PartyNumber): string {
  const recordColumns = [...CHAIN_COLUMNS, ...SIGN_RECORD_COLUMNS];
  // $1 is the chain's id, $2 the party, $3 the requests that must have no result
  const records = arrayParameters(recordColumns, 4);
  const messages = arrayParameters(MESSAGE_COLUMNS, 4 + recordColumns.length);
  const resultsAt = 4 + recordColumns.length + MESSAGE_COLUMNS.length;
  const results = arrayParameters(RESULT_COLUMNS, resultsAt);
  const batches = arrayParameters(BATCH_COLUMNS, resultsAt + RESULT_COLUMNS.length);
  const unlessKnown = 'WHERE NOT EXISTS (SELECT FROM answered)';
  return `WITH answered AS (
      SELECT FROM unnest($3::uuid[]) AS asked (id), LATERAL (
        SELECT FROM request_result WHERE request_id = asked.id LIMIT 1) AS found LIMIT 1),
    messages AS (
      INSERT INTO party_${party}.request_message (${namesOf(MESSAGE_COLUMNS)})
      SELECT given.* FROM unnest(${messages}) AS given ${unlessKnown}),
    results AS (
      INSERT INTO request_result (${namesOf(RESULT_COLUMNS)}, lead)
      SELECT given.*, $2::smallint FROM unnest(${results}) AS given ${unlessKnown}),
    batches AS (
      INSERT INTO batch_evidence (${namesOf(BATCH_COLUMNS)})
      SELECT given.* FROM unnest(${batches}) AS given ${unlessKnown}
      ON CONFLICT DO NOTHING)
    INSERT INTO party_${party}.sign_record (chain_id, ${namesOf(recordColumns)})
    SELECT $1, given.* FROM unnest(${records}) AS given ${unlessKnown}`;
}

type Columns = readonly (readonly [name: string, type: string])[];

function namesOf(columns: Columns): string {
  return columns.map(([name]) => name).join(', ');
}

function arrayParameters(columns: Columns, first: number): string {
  return columns.map(([, type], index) => `$${first + index}::${type}[]`).join(', ');
}

interface Result extends Pick<RecordEntry, 'record'> {
  readonly result: SignResult;
}

/** Takes one link per entry, in order. The results are those of the entries that have one. */
export function insertValues(
  chainId: string,
  party: PartyNumber,
  entries: readonly RecordEntry[],
  links: readonly ChainLink[],
): unknown[] {
  const rows = entries.map(({ record }) => signRecordFields(record));
  const messages = entries.flatMap(({ record, askedAt, message }) =>
    message === undefined ? [] : [{ record, askedAt, message }],
  );
  const results = entries.flatMap(({ record, result, isBesideOthers = false }) =>
    result === undefined ? [] : [{ record, result, isBesideOthers }],
  );
  return [
    chainId,
    party,
    results.flatMap(({ record, isBesideOthers }) => (isBesideOthers ? [] : [record.requestId])),
    links.map((link) => link.seq),
    links.map((link) => link.prevHash),
    links.map((link) => link.hash),
    ...SIGN_RECORD_COLUMNS.map((_, column) =>
      rows.map((row) => (column === 0 ? new Date(Number(row[0])) : row[column])),
    ),
    messages.map(({ record }) => record.requestId),
    messages.map(({ message }) => message.at),
    messages.map(({ message }) => message.nonce.toString()),
    messages.map(({ message }) => Buffer.from(message.sha256, 'hex')),
    messages.map(({ askedAt }) => askedAt),
    results.map(({ record }) => record.requestId),
    results.map(({ record }) => record.action),
    results.map(({ record }) => record.actorId),
    results.map(({ result }) => new Date(result.receivedAt)),
    results.map(({ record }) => new Date(record.at)),
    results.map(({ result }) => result.outcome.outcome),
    results.map(({ result }) => encodeOutcome(result.outcome)),
    results.map(({ result }) => (result.batch === undefined ? result.evidence : null)),
    results.map(({ result }) => result.batch?.requestId ?? null),
    results.map(({ result }) => result.batch?.index ?? null),
    ...batchColumns(party, results),
  ];
}

/** The evidence of each batch once, however many of its items there are. */
function batchColumns(party: PartyNumber, results: readonly Result[]): unknown[] {
  const batches = new Map<string, Result>();
  for (const each of results) {
    const { batch } = each.result;
    if (batch !== undefined) batches.set(batch.requestId, each);
  }
  return [
    [...batches.keys()],
    [...batches.values()].map(() => party),
    [...batches.values()].map(({ record }) => new Date(record.at)),
    [...batches.values()].map(({ result }) => result.evidence),
  ];
}
