/** What a party's connection pool is to its record writer and its share store. */
import { decodeOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type pg from 'pg';
import { SIGN_RECORD_COLUMNS } from '@countersign/runtime/records/sign-record.js';
import type { Weather } from './race-weather.ts';

/** The chain's id, the party and three columns of the chain stand before the records' own. */
const RESULTS_FROM = 5 + SIGN_RECORD_COLUMNS.length;
/** As the pools of the real processes have it. */
const QUERY_TIMEOUT_MS = 2_000;

export interface ResultRow {
  readonly request_id: string;
  readonly submission: Buffer;
  readonly payload: Buffer;
}

export interface SimulatedRecords {
  /** `onSent` is told of the results that a process hands over, when it does. */
  openPool(onSent: (results: readonly ResultRow[]) => void): pg.Pool;
}

export function isSigned({ payload }: Pick<ResultRow, 'payload'>): boolean {
  return decodeOutcome(payload).outcome === 'signed';
}

export function createSimulatedRecords({ time, delay }: Weather): SimulatedRecords {
  const results = new Map<string, ResultRow>();

  function insert(rows: readonly ResultRow[]): void {
    if (rows.some((row) => results.has(row.request_id))) {
      throw Object.assign(new Error('there is a result'), { code: '23505' });
    }
    for (const row of rows) results.set(row.request_id, row);
  }

  /** Does `run` in the store, and gives its result back to who asked if that has not given up. */
  function ask<Result>(ms: number, run: () => Result): Promise<{ rows: Result }> {
    return new Promise((resolve, reject) => {
      time.after(QUERY_TIMEOUT_MS, () => reject(new Error('Query read timeout')));
      let answer: () => void;
      const done = ms * 0.7;
      time.after(
        done,
        () => {
          try {
            const rows = run();
            answer = () => resolve({ rows });
          } catch (error) {
            answer = () => reject(error as Error);
          }
        },
        null,
      );
      time.after(ms, () => answer());
    });
  }

  return {
    openPool(onSent) {
      const query = ({ name, values }: { name?: string; values?: unknown[] }, ids?: unknown[]) => {
        if (name === 'insert_sign_records') {
          const rows = resultRows(values!);
          onSent(rows);
          return ask(delay('commit'), () => {
            insert(rows);
            return [];
          });
        }
        if (name === 'load_shares') {
          return ask(delay('query'), () => shareRows(values as [string[], string[]]));
        }
        const [requestIds] = ids as [string[]];
        return ask(delay('query'), () => requestIds.flatMap((id) => results.get(id) ?? []));
      };
      const client = { query, on: () => client, off: () => client, release: () => undefined };
      return { query, connect: async () => client } as unknown as pg.Pool;
    },
  };
}

function resultRows(values: readonly unknown[]): ResultRow[] {
  const column = (index: number) => values[RESULTS_FROM + index] as unknown[];
  return column(0).map((id, row) => ({
    request_id: id as string,
    submission: column(1)[row] as Buffer,
    payload: column(7)[row] as Buffer,
  }));
}

function shareRows([keyIds, sessions]: readonly [string[], string[]]): object[] {
  const bytes = Buffer.alloc(32);
  return keyIds.map((id, index) => ({
    key_id: id,
    session: sessions[index],
    version: 1,
    wrapped_dek: bytes,
    sealed: bytes,
  }));
}
