/**
 * Records authenticated requests that the gateway refuses: these audit records are hash-chained per process and written
 * before the caller gets its answer.
 */
import { createGroupCommit, type GroupCommit } from '@countersign/runtime/records/group-commit.js';
import { createRecordChain, type RecordChain } from '@countersign/runtime/records/record-chain.js';
import type pg from 'pg';
import { queryStore } from '../stores/ask-store.js';
import { refusedRequestFields, type RefusedRequest } from './refused-request.js';

export interface RefusalRecorder {
  /** Throws when the record cannot be written (504 without its store), so that no answer lacks its audit record. */
  record(refused: RefusedRequest): Promise<void>;
  /** Resolves once everything is recorded that was to be. */
  drain(): Promise<void>;
}

const INSERT = `INSERT INTO refused_request (chain_id, seq, prev_hash, hash, at, action, actor,
    request_id, err_type, reason, policy, vault_id, wallet_address, key_id, evidence)
  SELECT $1, given.* FROM unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::timestamptz[], $6::text[],
    $7::uuid[], $8::uuid[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::text[],
    $14::uuid[], $15::bytea[]) AS given`;

/**
 * `chainId` names the chain of records: one for each process. A record whose write failed may have been written all the
 * same, so its chain is abandoned and another begins (`<chainId>-2`, `-3`, ...). Continuing it would give one number to
 * two records, and no refusal could be written any more.
 */
export function createRefusalRecorder(pool: pg.Pool, chainId: string): RefusalRecorder {
  let chain = createRecordChain(chainId);
  let chains = 1;
  const commits: GroupCommit<RefusedRequest, undefined> = createGroupCommit(async (items) => {
    try {
      return await insert(pool, chain, items);
    } catch (error) {
      chain = createRecordChain(`${chainId}-${++chains}`);
      throw error;
    }
  });
  return {
    async record(refused) {
      await commits.add(refused);
    },
    drain: () => commits.drain(),
  };
}

async function insert(
  pool: pg.Pool,
  chain: RecordChain,
  items: readonly RefusedRequest[],
): Promise<undefined[]> {
  const rows = items.map(refusedRequestFields);
  const links = chain.link(rows);
  const columns = rows[0]!.map((_, column) => rows.map((row) => row[column]!));
  const [at, ...rest] = columns;
  await queryStore(pool, {
    name: 'insert_refused_request',
    text: INSERT,
    values: [
      chain.id,
      links.map((link) => link.seq),
      links.map((link) => link.prevHash),
      links.map((link) => link.hash),
      at!.map((ms) => new Date(Number(ms))),
      ...rest,
      items.map(({ evidence }) => evidence ?? null),
    ],
  });
  chain.commit(links);
  return items.map(() => undefined);
}
