import { describe, expect, test } from '@jest/globals';
import { createJournal } from '../govern/journal.js';
import { CSV_HEADER, csvCell, csvLine } from '@countersign/api/audit-lines/audit-csv.js';
import { compareNewestFirst, exactTime, type AuditEntry, type AuditRow } from './audit-row.js';
import { exportLines } from './export-audit-logs.js';

function entry(seq: number, fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    chain: 'a',
    seq,
    time: '2026-01-02T03:04:05.006Z',
    actor: 'someone',
    action: 'sign',
    resource: {
      type: 'key',
      ids: ['k1', 'k2'],
      vault_ids: [],
      wallet_addresses: [],
      key_ids: [],
      user_ids: [],
    },
    outcome: 'allowed',
    request_id: null,
    details: {},
    prev_hash: '00',
    hash: '01',
    ...fields,
  };
}

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('CSV cells', () => {
  test.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
    ['=cmd|"/c calc"', `"'=cmd|""/c calc"""`],
    ['a=b', 'a=b'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['', ''],
  ])('%j becomes %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  test('a line has a cell for every column and ends with CRLF', () => {
    const line = csvLine(entry(1, { action: '=x' }));
    expect(line.endsWith('\r\n')).toBe(true);
    expect(line.split(',')).toHaveLength(CSV_HEADER.split(',').length);
    expect(line).toContain(`,"'=x",allowed,`);
    expect(line).toContain(',k1 k2,');
  });
});

describe('export', () => {
  const rows: AuditRow[] = Array.from({ length: 12 }, (_, index) => ({
    time: exactTime(index),
    chain: 'a',
    seq: index,
    entry: entry(index),
  }));
  let calls = 0;
  const sources = {
    journal: createJournal(),
    bodies: {
      find: async () => new Map([[5, Buffer.from('body')]]),
      readBetween: async () => [
        { seq: 99, prevHash: 'aa', hash: 'bb', body: Buffer.from('waits') },
      ],
    },
    findRecords: async (_filter: object, after: AuditRow | object | null, limit: number) => {
      calls += 1;
      return rows
        .filter((row) => after === null || compareNewestFirst(row, after as AuditRow) > 0)
        .toSorted(compareNewestFirst)
        .slice(0, limit);
    },
  };

  test('JSON lines over several pages hold every entry once, newest first', async () => {
    const lines = await collect(exportLines(sources, {}, 'jsonl', { size: 5 }));
    const seqs = lines.map((line) => (JSON.parse(line) as AuditEntry).seq);
    expect(seqs).toEqual([99, ...rows.map((_, index) => 11 - index)]);
    expect(lines.every((line) => line.endsWith('\n'))).toBe(true);
  });

  test('JSON lines carry what the hashes cover, of the end of the ledger too', async () => {
    const lines = await collect(exportLines(sources, {}, 'jsonl', { size: 5 }));
    const bodies = lines.map((line) => (JSON.parse(line) as { record: { body: string } }).record);
    expect(bodies[0]).toEqual({ writer: 'ledger', body: Buffer.from('waits').toString('base64') });
    expect(bodies[7]).toEqual({ writer: 'ledger', body: Buffer.from('body').toString('base64') });
    const [filtered] = await collect(exportLines(sources, { from: 1 }, 'jsonl', { size: 5 }));
    expect(JSON.parse(filtered!)).toMatchObject({ seq: 11 });
  });

  test('CSV begins with a header', async () => {
    const lines = await collect(exportLines(sources, {}, 'csv', { size: 5 }));
    expect(lines).toHaveLength(13);
    expect(lines[0]).toBe(CSV_HEADER);
  });

  test('a reader that stops early stops the queries', async () => {
    calls = 0;
    for await (const line of exportLines(sources, { from: 0 }, 'jsonl', { size: 5 })) {
      expect(line).not.toBe('');
      break;
    }
    expect(calls).toBe(1);
  });
});
