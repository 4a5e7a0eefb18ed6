import { describe, expect, it } from '@jest/globals';
import { createRecordChain } from '@countersign/runtime/records/record-chain.js';
import { insertStatement, insertValues } from './insert-sign-records.js';
import type { RecordEntry } from './record-entry.js';
import { signRecordFields, type SignRecord } from '@countersign/runtime/records/sign-record.js';

const AT = 1_800_000_000_000;

function record(requestId: string): SignRecord {
  return {
    at: AT,
    requestId,
    role: 'lead',
    outcome: 'denied',
    action: 'raw_sign',
    actorId: 'actor',
    keyId: null,
    vaultId: null,
    walletAddress: null,
    messageSha256: null,
    policy: null,
    ledgerSeq: 7,
    parties: '1,3',
    reason: 'frozen',
  };
}

const PROOF = { index: 0, size: 1, path: [], signature: Buffer.alloc(64) };

const ENTRIES: RecordEntry[] = [
  { record: record('partner only'), askedAt: AT - 11 },
  {
    record: record('with result'),
    askedAt: AT - 12,
    result: {
      receivedAt: AT - 5,
      outcome: {
        outcome: 'denied',
        submission: '0a'.repeat(16),
        requestId: 'with result',
        parties: [1, 3],
        errType: 'forbidden',
        reason: 'frozen',
        proofs: [PROOF, PROOF],
      },
      evidence: Buffer.from('sealed'),
    },
  },
  {
    record: record('with message'),
    askedAt: AT - 13,
    message: { at: AT - 9, nonce: 5n, sha256: 'ab'.repeat(32) },
    isBesideOthers: true,
  },
];

const [, DENIED] = ENTRIES;

/** Two items of one batch. */
const ITEMS: RecordEntry[] = [0, 1].map((index) => ({
  ...DENIED!,
  result: { ...DENIED!.result!, batch: { requestId: 'batch', index } },
}));

function linksOf(entries: readonly RecordEntry[]) {
  return createRecordChain('chain').link(entries.map((entry) => signRecordFields(entry.record)));
}

/** What each named column is filled with, by the statement's own lists. */
function columnsOf(statement: string, table: string, values: readonly unknown[]) {
  const names = new RegExp(`INTO ${table} \\(([^)]*)\\)`).exec(statement)![1]!.split(', ');
  const given = names.filter((name) => name !== 'chain_id' && name !== 'lead');
  const lists = [...statement.matchAll(/unnest\(([^)]*)\)/g)].map(([, list]) => list!.split(', '));
  const list = lists.find((parameters) => parameters.length === given.length)!;
  const positions = list.map((parameter) => Number(/^\$(\d+)::/.exec(parameter)![1]));
  return Object.fromEntries(given.map((name, index) => [name, values[positions[index]! - 1]]));
}

describe('the statement that writes records and results', () => {
  const statement = insertStatement(2);
  const links = linksOf(ENTRIES);
  const values = insertValues('chain', 2, ENTRIES, links);

  it("writes into the party's own schema, every value once", () => {
    expect(statement).toContain('INTO party_2.sign_record (chain_id, ');
    const used = [...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    expect(used.toSorted((a, b) => a - b)).toEqual(values.map((_, index) => index + 1));
    expect(values.slice(0, 3)).toEqual(['chain', 2, ['with result']]);
  });

  it('has a record of every entry, with its link in the chain', () => {
    expect(columnsOf(statement, 'party_2.sign_record', values)).toMatchObject({
      seq: [1, 2, 3],
      prev_hash: links.map(({ prevHash }) => prevHash),
      hash: links.map(({ hash }) => hash),
      at: [new Date(AT), new Date(AT), new Date(AT)],
      request_id: ['partner only', 'with result', 'with message'],
      actor: ['actor', 'actor', 'actor'],
      ledger_seq: [7, 7, 7],
      reason: ['frozen', 'frozen', 'frozen'],
    });
  });

  it("has the request's message of each entry that has one", () => {
    expect(columnsOf(statement, 'party_2.request_message', values)).toEqual({
      request_id: ['with message'],
      signed_at: [AT - 9],
      nonce: ['5'],
      message_sha256: [Buffer.alloc(32, 0xab)],
      asked_at: [AT - 13],
    });
  });

  it('asks only about results that the entry may not stand beside', () => {
    const beside = insertValues(
      'chain',
      2,
      ENTRIES.map((entry) => ({ ...entry, isBesideOthers: true })),
      links,
    );
    expect(beside[2]).toEqual([]);
  });

  it('has the evidence of a batch once, and no other beside its items', () => {
    const written = insertValues('chain', 2, ITEMS, linksOf(ITEMS));
    expect(columnsOf(statement, 'batch_evidence', written)).toEqual({
      batch_id: ['batch'],
      writer: [2],
      written_at: [new Date(AT)],
      evidence: [Buffer.from('sealed')],
    });
    expect(columnsOf(statement, 'request_result', written)).toMatchObject({
      evidence: [null, null],
      batch_id: ['batch', 'batch'],
      batch_index: [0, 1],
    });
    expect(columnsOf(statement, 'batch_evidence', values)['batch_id']).toEqual([]);
  });

  it('has a result of each entry that has one', () => {
    expect(columnsOf(statement, 'request_result', values)).toMatchObject({
      request_id: ['with result'],
      operation: ['raw_sign'],
      created_by: ['actor'],
      received_at: [new Date(AT - 5)],
      completed_at: [new Date(AT)],
      outcome: ['denied'],
      evidence: [Buffer.from('sealed')],
    });
  });
});
