import { describe, expect, it } from '@jest/globals';
import type { SignRecord } from '@countersign/runtime/records/sign-record.js';
import { commitOnce, type RequestTables } from './commit-once.js';
import type { KnownRequest, RecordEntry } from './record-entry.js';

const MESSAGE = { at: 1, nonce: 0n, sha256: 'aa' };
const RESULT = { receivedAt: 1 } as NonNullable<RecordEntry['result']>;

const recordOf = (requestId: string) => ({ requestId }) as SignRecord;

/** A lead's entry, a partner's, and one that says nothing new of its request. */
const led = (id: string): RecordEntry => ({
  record: recordOf(id),
  askedAt: 1,
  message: MESSAGE,
  result: RESULT,
});
const given = (id: string): RecordEntry => ({ record: recordOf(id), askedAt: 1, message: MESSAGE });
const noted = (id: string): RecordEntry => ({ record: recordOf(id), askedAt: 1 });

const idsOf = (entries: readonly RecordEntry[]) => entries.map(({ record }) => record.requestId);

/** What the party gave a message for before, and what another lead has a result of. */
interface Before {
  readonly messages?: readonly string[];
  readonly results?: readonly string[];
}

/** The tables with their keys; `log` has what was asked of them, in order. */
function openTables({ messages = [], results = [] }: Before = {}) {
  const state = { messages: new Set(messages), results: new Set(results) };
  const written: string[] = [];
  const log: string[] = [];
  const isTaken = ({ record: { requestId }, message, result, isBesideOthers }: RecordEntry) =>
    (message !== undefined && state.messages.has(requestId)) ||
    (result !== undefined && isBesideOthers !== true && state.results.has(requestId));
  const tables: RequestTables = {
    async insert(entries) {
      log.push(`insert ${idsOf(entries).join()}`);
      if (entries.some(isTaken)) return new Error('known');
      for (const { record, message, result } of entries) {
        if (message !== undefined) state.messages.add(record.requestId);
        if (result !== undefined) state.results.add(record.requestId);
        written.push(record.requestId);
      }
      return undefined;
    },
    async findKnown(entries) {
      const requestIds = idsOf(entries);
      log.push(`find ${requestIds.join()}`);
      const isKnown = (id: string) => state.messages.has(id) || state.results.has(id);
      return new Map(requestIds.filter(isKnown).map((id) => [id, knownOf(id)]));
    },
  };
  const knownOf = (id: string): KnownRequest => ({
    message: state.messages.has(id) ? MESSAGE : undefined,
    results: state.results.has(id) ? [{ lead: 1, payload: Buffer.from(id) }] : [],
  });
  return { tables, state, written, log };
}

describe('a group of entries', () => {
  it('is written at once when nothing is known of its requests', async () => {
    const { tables, written, log } = openTables();
    const answers = await commitOnce(tables, [led('a'), noted('b'), given('c')]);
    expect(answers).toEqual([undefined, undefined, undefined]);
    expect(written).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['insert a,b,c']);
  });

  it('is told the message of a request that has one, and the others are written together', async () => {
    const { tables, written, log } = openTables({ messages: ['b'] });
    const answers = await commitOnce(tables, [given('a'), given('b'), led('c')]);
    expect(answers).toEqual([undefined, { message: MESSAGE, results: [] }, undefined]);
    expect(written).toEqual(['a', 'c']);
    expect(log).toEqual(['insert a,b,c', 'find a,b,c', 'insert a,c']);
  });

  it('is told of a result that another lead has, unless it is to stand beside it', async () => {
    const { tables, written } = openTables({ results: ['a', 'b'] });
    const answers = await commitOnce(tables, [led('a'), { ...led('b'), isBesideOthers: true }]);
    expect(answers[0]?.results.map(({ payload }) => payload.toString())).toEqual(['a']);
    expect(answers[1]).toBeUndefined();
    expect(written).toEqual(['b']);
  });

  it('gives a request one message, however often it is in the group', async () => {
    const { tables, written } = openTables();
    const answers = await commitOnce(tables, [given('a'), given('a'), led('a')]);
    expect(answers.map((answer) => answer?.message)).toEqual([undefined, MESSAGE, MESSAGE]);
    expect(written).toEqual(['a']);
  });

  it('is written one by one when another replica has come in between', async () => {
    const { tables, state, written, log } = openTables({ messages: ['a'] });
    const { findKnown } = tables;
    tables.findKnown = async (requestIds) => {
      const found = await findKnown(requestIds);
      state.messages.add('b');
      return found;
    };
    const answers = await commitOnce(tables, [given('a'), given('b'), given('c')]);
    expect(answers.map((answer) => answer?.message)).toEqual([MESSAGE, MESSAGE, undefined]);
    expect(written).toEqual(['c']);
    expect(log.slice(2)).toEqual(['insert b,c', 'insert b', 'find b', 'insert c']);
  });

  it('writes what says nothing new of its request, whatever is known of that', async () => {
    const { tables, written } = openTables({ messages: ['a'], results: ['a'] });
    expect(await commitOnce(tables, [noted('a'), noted('a')])).toEqual([undefined, undefined]);
    expect(written).toEqual(['a', 'a']);
  });
});

describe('a commit that fails', () => {
  it('is told, and nothing else is tried', async () => {
    const { tables, log } = openTables();
    tables.insert = async () => {
      throw new Error('no connection');
    };
    await expect(commitOnce(tables, [led('a')])).rejects.toThrow('no connection');
    expect(log).toEqual([]);
  });

  it('is told when nothing that is known explains it', async () => {
    const { tables } = openTables();
    tables.insert = async () => new Error('violated');
    await expect(commitOnce(tables, [led('a')])).rejects.toThrow('violated');
    await expect(commitOnce(tables, [noted('a')])).rejects.toThrow('violated');
  });
});
