/** The one statement that writes sign records and results: one round trip and one commit. */
import { encodeOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ChainLink } from '@countersign/runtime/records/record-chain.js';
import type { RecordEntry } from './record-entry.js';
import { SIGN_RECORD_COLUMNS, signRecordFields } from '@countersign/runtime/records/sign-record.js';

const CHAIN_COLUMNS = [
  ['seq', 'bigint'],
  ['prev_hash', 'bytea'],
  ['hash', 'bytea'],
] as const;
const RESULT_COLUMNS = [
  ['request_id', 'uuid'],
  ['submission', 'bytea'],
  ['operation', 'text'],
  ['created_by', 'uuid'],
  ['received_at', 'timestamptz'],
  ['completed_at', 'timestamptz'],
  ['outcome', 'text'],
  ['payload', 'bytea'],
  ['evidence', 'bytea'],
] as const;

/** All columns travel as arrays; {@link insertValues} has them in this order. */
export function insertStatement(party: PartyNumber): string {
  const recordColumns = [...CHAIN_COLUMNS, ...SIGN_RECORD_COLUMNS];
  // $1 is the chain's id, $2 the party
  const records = arrayParameters(recordColumns, 3);
  const results = arrayParameters(RESULT_COLUMNS, 3 + recordColumns.length);
  return `WITH results AS (
      INSERT INTO request_result (${namesOf(RESULT_COLUMNS)}, lead)
      SELECT given.*, $2::smallint FROM unnest(${results}) AS given)
    INSERT INTO party_${party}.sign_record (chain_id, ${namesOf(recordColumns)})
    SELECT $1, given.* FROM unnest(${records}) AS given`;
}

type Columns = readonly (readonly [name: string, type: string])[];

function namesOf(columns: Columns): string {
  return columns.map(([name]) => name).join(', ');
}

function arrayParameters(columns: Columns, first: number): string {
  return columns.map(([, type], index) => `$${first + index}::${type}[]`).join(', ');
}

/** One link per entry, in order. Results are those of the entries that have one. */
export function insertValues(
  chainId: string,
  party: PartyNumber,
  entries: readonly RecordEntry[],
  links: readonly ChainLink[],
): unknown[] {
  const rows = entries.map(({ record }) => signRecordFields(record));
  const results = entries.flatMap(({ record, result }) =>
    result === undefined ? [] : [{ record, result }],
  );
  return [
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
  ];
}
