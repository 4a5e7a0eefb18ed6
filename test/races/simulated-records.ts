/** What a party's connection pool is to its record writer and its share store. */
import { decodeOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type pg from 'pg';
import { SIGN_RECORD_COLUMNS } from '@countersign/runtime/records/sign-record.js';
import type { Weather } from './race-weather.ts';

/** The chain's id, the party, requests and three columns of the chain stand before the records' own. */
const MESSAGES_FROM = 6 + SIGN_RECORD_COLUMNS.length;
const MESSAGE_COLUMNS = 5;
const RESULTS_FROM = MESSAGES_FROM + MESSAGE_COLUMNS;
/** As the pools of the real processes have it. */
const QUERY_TIMEOUT_MS = 2_000;

export interface ResultRow {
  readonly request_id: string;
  readonly lead: number;
  readonly payload: Buffer;
}

interface MessageRow {
  readonly request_id: string;
  readonly signed_at: string;
  readonly nonce: string;
  readonly message_sha256: Buffer;
}

/** What one statement writes. */
interface Written {
  readonly party: number;
  /** Requests that must have no result. */
  readonly unanswered: readonly string[];
  readonly messages: readonly MessageRow[];
  readonly results: readonly ResultRow[];
}

export interface SimulatedRecords {
  /** `onSent` is told of the results that a process hands over, when it does. */
  openPool(onSent: (results: readonly ResultRow[]) => void): pg.Pool;
}

export function isSigned({ payload }: Pick<ResultRow, 'payload'>): boolean {
  return decodeOutcome(payload).outcome === 'signed';
}

export function createSimulatedRecords({ time, delay }: Weather): SimulatedRecords {
  /** By request and lead, and by request and party. */
  const results = new Map<string, ResultRow>();
  const messages = new Map<string, MessageRow>();
  const resultsOf = (id: string) =>
    PARTY_NUMBERS.flatMap((lead) => results.get(`${id} ${lead}`) ?? []);

  /** How many records were written. */
  function insert(written: Written): number {
    if (written.unanswered.some((id) => resultsOf(id).length > 0)) return 0;
    const isTaken =
      written.messages.some((row) => messages.has(`${row.request_id} ${written.party}`)) ||
      written.results.some((row) => results.has(`${row.request_id} ${row.lead}`));
    if (isTaken) throw Object.assign(new Error('it is there'), { code: '23505' });
    for (const row of written.messages) messages.set(`${row.request_id} ${written.party}`, row);
    for (const row of written.results) results.set(`${row.request_id} ${row.lead}`, row);
    return 1;
  }

  function findKnown(ids: readonly string[], party: string): object[] {
    return ids.flatMap((id): object[] => {
      const message = messages.get(`${id} ${party}`) ?? NO_MESSAGE;
      const found = resultsOf(id).map((row) => ({ ...message, ...row }));
      if (found.length > 0) return found;
      return message === NO_MESSAGE ? [] : [{ ...message, lead: null, payload: null }];
    });
  }

  /** Does `run` in the store, and gives its result back to who asked if that has not given up. */
  function ask<Answer>(ms: number, run: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      time.after(QUERY_TIMEOUT_MS, () => reject(new Error('Query read timeout')));
      let answer: () => void;
      const done = ms * 0.7;
      time.after(
        done,
        () => {
          try {
            const given = run();
            answer = () => resolve(given);
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
      const query = (asked: string | pg.QueryConfig, ids?: unknown[]): Promise<unknown> => {
        if (typeof asked === 'string') {
          const [requestIds] = ids as [string[]];
          const party = /party_(\d)/.exec(asked)![1]!;
          return ask(delay('query'), () => ({ rows: findKnown(requestIds, party) }));
        }
        const { name, values = [] } = asked;
        if (name === 'load_shares') {
          return ask(delay('query'), () => ({ rows: shareRows(values as [string[], string[]]) }));
        }
        const written = writtenBy(values);
        onSent(written.results);
        return ask(delay('commit'), () => ({ rowCount: insert(written), rows: [] }));
      };
      const client = { query, on: () => client, off: () => client, release: () => undefined };
      return { query, connect: async () => client } as unknown as pg.Pool;
    },
  };
}

const NO_MESSAGE = { signed_at: null, nonce: null, message_sha256: null };

function writtenBy(values: readonly unknown[]): Written {
  const column = <Value>(index: number) => values[index] as readonly Value[];
  const party = values[1] as number;
  const [at, nonces, hashes] = [1, 2, 3].map((index) => column(MESSAGES_FROM + index));
  return {
    party,
    unanswered: column<string>(2),
    messages: column<string>(MESSAGES_FROM).map((id, row) => ({
      request_id: id,
      signed_at: String(at![row]),
      nonce: String(nonces![row]),
      message_sha256: hashes![row] as Buffer,
    })),
    results: column<string>(RESULTS_FROM).map((id, row) => ({
      request_id: id,
      lead: party,
      payload: column<Buffer>(RESULTS_FROM + 6)[row]!,
    })),
  };
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
