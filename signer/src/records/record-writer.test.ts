import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { RecordEntry } from './record-entry.js';
import { createRecordChain } from '@countersign/runtime/records/record-chain.js';
import { signRecordFields } from '@countersign/runtime/records/sign-record.js';
import { createRecordWriter } from './record-writer.js';

const entry = (
  until?: number,
  requestId = '11111111-1111-4111-8111-111111111111',
): RecordEntry => ({
  record: {
    at: 0,
    requestId,
    role: 'lead',
    outcome: 'signed',
    action: 'raw-sign',
    actorId: '22222222-2222-4222-8222-222222222222',
    keyId: null,
    vaultId: null,
    walletAddress: null,
    messageSha256: null,
    policy: null,
    ledgerSeq: 1,
    parties: '1,2',
    reason: null,
  },
  askedAt: 0,
  until,
});

const [ID_2, ID_3, ID_4] = [2, 3, 4].map(
  (digit) => `${digit}`.repeat(8) + '-1111-4111-8111-111111111111',
);

/** A writer over a database that takes so long, ms by the test's clock. */
function setUp({ connectMs = 0, queryMs = 0 }) {
  let now = 1_000;
  let sent = 0;
  const links: { seq: unknown; prevHash: unknown; hash: unknown }[] = [];
  const client = {
    async query({ values: [, , , seqs, prevs, hashes] }: { values: unknown[][] }) {
      sent += 1;
      seqs!.forEach((seq, at) => links.push({ seq, prevHash: prevs![at], hash: hashes![at] }));
      now += queryMs;
      return { rowCount: 1 };
    },
    release: () => undefined,
    on: () => undefined,
    off: () => undefined,
  };
  const connect = async () => {
    now += connectMs;
    return client;
  };
  const writer = createRecordWriter({ connect } as unknown as pg.Pool, 1, 'chain', () => now);
  return { writer, sent: () => sent, links };
}

describe('a record with an end', () => {
  it('is written until then', async () => {
    const { writer, sent } = setUp({});
    await expect(writer.write([entry(1_000)])).resolves.toEqual([undefined]);
    expect(sent()).toBe(1);
  });

  it('is not sent to the database later, however long it waited for the commit before it', async () => {
    const { writer, sent } = setUp({ queryMs: 1 });
    const first = writer.write([entry()]);
    await Promise.resolve(); // the first is a group of its own
    const late = writer.write([entry(1_000)]);
    await first;
    await expect(late).rejects.toThrow('too late');
    expect(sent()).toBe(1);
  });

  it('is left out alone: the rest of its group is linked without it, and written', async () => {
    const { writer, sent, links } = setUp({ queryMs: 1 });
    const [ended, open] = [entry(1_000, ID_2), [entry(3_000, ID_3), entry(undefined, ID_4)]];
    const first = writer.write([entry()]);
    await Promise.resolve(); // the first is a group of its own: the others wait for its commit
    const late = writer.write([ended]);
    const inTime = Promise.all(open.map((each) => writer.write([each])));
    await first;
    await expect(late).rejects.toThrow('too late');
    expect(await inTime).toEqual([[undefined], [undefined]]);
    expect(sent()).toBe(2);
    const written = [entry(), ...open].map(({ record }) => signRecordFields(record));
    expect(links).toEqual(createRecordChain('chain').link(written));
  });

  it('is not sent later, however long a connection took', async () => {
    const { writer, sent } = setUp({ connectMs: 1 });
    await expect(writer.write([entry(1_000)])).rejects.toThrow('too late');
    expect(sent()).toBe(0);
  });
});
