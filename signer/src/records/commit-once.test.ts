import { describe, expect, it } from '@jest/globals';
import { commitOnce, type ResultTable } from './commit-once.js';
import type { EarlierResult, RecordEntry } from './record-entry.js';
import type { SignRecord } from '@countersign/runtime/records/sign-record.js';

/** A lead's entry, or a partner's, which has no result. */
function entry(requestId: string, submission?: string): RecordEntry {
  const record = { requestId } as SignRecord;
  if (submission === undefined) return { record };
  return { record, result: { submission } as RecordEntry['result'] & object };
}

const idsOf = (entries: readonly RecordEntry[]) => entries.map(({ record }) => record.requestId);

/** The table with its primary key; `log` has what was asked of it, in order. */
function openTable(known: Record<string, string> = {}) {
  const results = new Map(Object.entries(known));
  const written: string[] = [];
  const log: string[] = [];
  const table: ResultTable = {
    async insert(entries) {
      log.push(`insert ${idsOf(entries).join()}`);
      const taken = entries.find(({ record, result }) => result && results.has(record.requestId));
      if (taken !== undefined) return new Error(`duplicate ${taken.record.requestId}`);
      for (const { record, result } of entries) {
        if (result !== undefined) results.set(record.requestId, result.submission);
        written.push(record.requestId);
      }
      return undefined;
    },
    async findEarlier(requestIds) {
      log.push(`find ${requestIds.join()}`);
      const found = requestIds.flatMap((id) => {
        const submission = results.get(id);
        return submission === undefined ? [] : [[id, { submission } as EarlierResult] as const];
      });
      return new Map(found);
    },
  };
  return { table, results, written, log };
}

describe('a group of entries', () => {
  it('is written at once when none of its requests has a result', async () => {
    const { table, written, log } = openTable();
    expect(await commitOnce(table, [entry('a', 's'), entry('b'), entry('c', 's')])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(written).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['insert a,b,c']);
  });

  it('gets the earlier result of a request that has one, and the others are written together', async () => {
    const { table, written, results, log } = openTable({ b: 'before' });
    const verdicts = await commitOnce(table, [entry('a', 's'), entry('b', 't'), entry('c', 's')]);
    expect(verdicts).toEqual([undefined, { submission: 'before' }, undefined]);
    expect(written).toEqual(['a', 'c']);
    expect(results.get('b')).toBe('before');
    expect(log).toEqual(['insert a,b,c', 'find a,b,c', 'insert a,c']);
  });

  it('writes the first of two entries for one request, and gives its result to the second', async () => {
    const { table, written } = openTable();
    const verdicts = await commitOnce(table, [entry('a', 'first'), entry('a', 'second')]);
    expect(verdicts).toEqual([undefined, { submission: 'first' }]);
    expect(written).toEqual(['a']);
  });

  it('is written one by one when another lead has come in between', async () => {
    const { table, written, results, log } = openTable({ a: 'before' });
    const { findEarlier } = table;
    table.findEarlier = async (requestIds) => {
      const found = await findEarlier(requestIds);
      results.set('b', 'in between');
      return found;
    };
    const verdicts = await commitOnce(table, [entry('a', 's'), entry('b', 's'), entry('c', 's')]);
    expect(verdicts).toEqual([{ submission: 'before' }, { submission: 'in between' }, undefined]);
    expect(written).toEqual(['c']);
    expect(log.slice(2)).toEqual(['insert b,c', 'insert b', 'find b', 'insert c']);
  });

  it("writes a partner's entry whatever result its request has", async () => {
    const { table, written } = openTable({ a: 'before' });
    expect(await commitOnce(table, [entry('a'), entry('a')])).toEqual([undefined, undefined]);
    expect(written).toEqual(['a', 'a']);
  });
});

describe('a commit that fails', () => {
  it('is told, and nothing else is tried', async () => {
    const { table, log } = openTable();
    table.insert = async () => {
      throw new Error('no connection');
    };
    await expect(commitOnce(table, [entry('a', 's')])).rejects.toThrow('no connection');
    expect(log).toEqual([]);
  });

  it('is told when a violation cannot be explained by an earlier result', async () => {
    const { table } = openTable();
    table.insert = async () => new Error('violated');
    await expect(commitOnce(table, [entry('a', 's')])).rejects.toThrow('violated');
    await expect(commitOnce(table, [entry('a')])).rejects.toThrow('violated');
  });
});
