import { describe, expect, test } from '@jest/globals';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import fc from 'fast-check';
import { createJournal } from '../govern/journal.js';
import { readAuditPage, firstPosition } from './audit-page.js';
import { decodePosition, encodePosition, type AuditFilter } from './audit-position.js';
import { compareNewestFirst, exactTime, type AuditEntry, type AuditRow } from './audit-row.js';
import { ledgerAuditRows } from './ledger-audit.js';
import { mergeNewestFirst } from './merge-audit.js';
import type { FindAuditRecords } from './record-audit.js';

function row(ms: number, chain: string, seq: number): AuditRow {
  const time = exactTime(ms);
  return { time, chain, seq, entry: { chain, seq } as AuditEntry };
}

const nameOf = ({ chain, seq }: { chain: string; seq: number }) => `${chain}:${seq}`;
const hash = new Uint8Array(32);

function outcome(seq: number, at: number, fields: Partial<EntryOutcome> = {}): EntryOutcome {
  return {
    seq,
    hash,
    prevHash: hash,
    at,
    listedAt: at,
    kind: 'evidence',
    refusal: undefined,
    actorId: undefined,
    operation: undefined,
    requestId: undefined,
    policy: undefined,
    subject: undefined,
    sealedCredential: undefined,
    judgedBy: undefined,
    ...fields,
  };
}

function journalOf(outcomes: readonly EntryOutcome[]) {
  const journal = createJournal();
  journal.append(outcomes);
  return journal;
}

/** What PostgreSQL does: rows after the key in the order of the log. */
function recordsIn(rows: readonly AuditRow[], seen: number[] = []): FindAuditRecords {
  return async (_filter, after, limit) => {
    const found = rows
      .filter((candidate) => after === null || compareNewestFirst(candidate, after) > 0)
      .toSorted(compareNewestFirst)
      .slice(0, limit);
    seen.push(found.length);
    return found;
  };
}

async function walk(sources: Parameters<typeof readAuditPage>[0], limit: number) {
  const names: string[] = [];
  let position = firstPosition(sources.journal);
  for (;;) {
    const { rows, next } = await readAuditPage(sources, {}, position, limit);
    names.push(...rows.map(nameOf));
    if (next === undefined) return names;
    expect(rows).toHaveLength(limit);
    position = decodePosition(encodePosition(next.ledgerSeq, next.after));
  }
}

describe('merging', () => {
  test('newest first over all sources', () => {
    const merged = mergeNewestFirst(
      [[row(30, 'ledger', 2), row(10, 'ledger', 1)], [row(20, 'a', 1)], [], [row(40, 'b', 1)]],
      10,
    );
    expect(merged.rows.map(nameOf)).toEqual(['b:1', 'ledger:2', 'a:1', 'ledger:1']);
    expect(merged.hasMore).toBe(false);
  });

  test('at the same time the chain decides, then the sequence number', () => {
    const merged = mergeNewestFirst(
      [
        [row(5, 'a', 2), row(5, 'a', 1)],
        [row(5, 'b', 9), row(5, 'b', 8)],
      ],
      10,
    );
    expect(merged.rows.map(nameOf)).toEqual(['b:9', 'b:8', 'a:2', 'a:1']);
  });

  test('tells whether there is more', () => {
    const source = [row(2, 'a', 2), row(1, 'a', 1)];
    expect(mergeNewestFirst([source], 1)).toEqual({ rows: [source[0]], hasMore: true });
    expect(mergeNewestFirst([source], 2)).toEqual({ rows: source, hasMore: false });
  });

  test('order does not depend on how a tie is spread over the sources', () => {
    const microseconds = { ...row(7, 'a', 1), time: '1970-01-01T00:00:00.007001Z' };
    const plain = row(7, 'z', 1);
    const expected = [microseconds, plain];
    expect(mergeNewestFirst([[plain], [microseconds]], 9).rows).toEqual(expected);
    expect(mergeNewestFirst([[microseconds], [plain]], 9).rows).toEqual(expected);
  });
});

describe('pages of the audit log', () => {
  // few distinct times, so that ties are the rule; ledger times need not rise
  const times = fc.array(fc.nat(4), { maxLength: 25 });

  test('every row is given once, whatever ties and clocks there are', async () => {
    await fc.assert(
      fc.asyncProperty(
        times,
        times,
        times,
        fc.integer({ min: 1, max: 6 }),
        async (ledger, a, b, limit) => {
          const journal = journalOf(ledger.map((at, index) => outcome(index + 1, at)));
          const records = [
            ...a.map((at, index) => row(at, 'a', index + 1)),
            ...b.map((at, index) => row(at, 'p', index + 1)),
          ];
          const names = await walk({ journal, findRecords: recordsIn(records) }, limit);
          const all = [
            ...records.map(nameOf),
            ...journal.entries.map(({ seq }) => `ledger:${seq}`),
          ];
          expect(names.toSorted()).toEqual(all.toSorted());
        },
      ),
      { numRuns: 300 },
    );
  });

  test('pages in sequence read as one merge', async () => {
    const journal = journalOf([1, 5, 5, 9].map((at, index) => outcome(index + 1, at)));
    const records = [row(5, 'a', 1), row(5, 'z', 1), row(8, 'a', 2), row(0, 'a', 3)];
    const expected = 'ledger:4 a:2 z:1 ledger:3 ledger:2 a:1 ledger:1 a:3'.split(' ');
    for (const limit of [1, 2, 3, 7, 8]) {
      expect(await walk({ journal, findRecords: recordsIn(records) }, limit)).toEqual(expected);
    }
  });

  test('rows that come while pages are read do not appear in later pages', async () => {
    const journal = journalOf([outcome(1, 10), outcome(2, 20)]);
    const records = [row(5, 'a', 1)];
    const sources = { journal, findRecords: recordsIn(records) };
    const first = await readAuditPage(sources, {}, firstPosition(journal), 1);
    journal.append([outcome(3, 30)]);
    records.push(row(40, 'a', 2));
    const second = await readAuditPage(sources, {}, first.next!, 9);
    expect(second.rows.map(nameOf)).toEqual(['ledger:1', 'a:1']);
  });

  test('no source gives more than one row beyond the page', async () => {
    const seen: number[] = [];
    const records = Array.from({ length: 50 }, (_, index) => row(index, 'a', index));
    const sources = { journal: journalOf([]), findRecords: recordsIn(records, seen) };
    await walk(sources, 7);
    expect(Math.max(...seen)).toBe(8);
  });
});

describe('ledger entries', () => {
  const subject = {
    resourceType: 'wallet',
    resourceIds: ['w'],
    vaultIds: ['v1', 'v2'],
    walletAddresses: ['addr'],
    keyIds: ['k'],
    userIds: ['u'],
  };
  const entries = [
    outcome(1, 10, { kind: 'genesis' }),
    outcome(2, 20, { actorId: 'alice', subject, requestId: 'r2' }),
    outcome(3, 30, {
      actorId: 'bob',
      refusal: { refused: 'forbidden', message: 'no policy' },
      policy: { id: 'p', version: 3 },
    }),
    outcome(4, 40, { kind: 'attestation', actorId: 'party_1' }),
  ];
  const seqs = (filter: AuditFilter) =>
    ledgerAuditRows(entries, filter, 99, 99).map(({ seq }) => seq);

  test.each<[AuditFilter, number[]]>([
    [{}, [4, 3, 2, 1]],
    [{ vault_ids: ['v2', 'x'] }, [2]],
    [{ wallet_addresses: ['addr'] }, [2]],
    [{ key_ids: ['k'] }, [2]],
    [{ user_ids: ['u'] }, [2]],
    [{ user_ids: ['alice', 'bob'] }, [3, 2]],
    [{ actions: ['genesis', 'key_attestation'] }, [4, 1]],
    [{ outcome: 'denied' }, [3]],
    [{ outcome: 'allowed' }, [4, 2, 1]],
    [{ outcome: 'failed' }, []],
    [{ request_id: 'r2' }, [2]],
    [{ from: 20, to: 40 }, [3, 2]],
    [{ from: 20, outcome: 'allowed', user_ids: ['alice'] }, [2]],
  ])('%j', (filter, expected) => {
    expect(seqs(filter)).toEqual(expected);
  });

  test('a refused one says why and by which policy', () => {
    expect(ledgerAuditRows(entries, {}, 4, 1)[0]?.entry).toMatchObject({
      chain: 'ledger',
      seq: 3,
      time: '1970-01-01T00:00:00.030Z',
      actor: 'bob',
      outcome: 'denied',
      policy: { id: 'p', version: 3 },
      details: { reason: 'no policy' },
      hash: '00'.repeat(32),
    });
  });

  test('the genesis is its own author', () => {
    expect(ledgerAuditRows(entries, {}, 2, 1)[0]?.entry).toMatchObject({
      actor: 'genesis',
      action: 'genesis',
    });
  });
});
