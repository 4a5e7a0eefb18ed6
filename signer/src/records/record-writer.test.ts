import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { RecordEntry } from './record-entry.js';
import { createRecordWriter } from './record-writer.js';

const entry = (until?: number): RecordEntry => ({
  record: {
    at: 0,
    requestId: '11111111-1111-4111-8111-111111111111',
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

/** A writer over a database that takes so long, ms by the test's clock. */
function setUp({ connectMs = 0, queryMs = 0 }) {
  let now = 1_000;
  let sent = 0;
  const client = {
    async query() {
      sent += 1;
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
  return { writer, sent: () => sent };
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

  it('is not sent later, however long a connection took', async () => {
    const { writer, sent } = setUp({ connectMs: 1 });
    await expect(writer.write([entry(1_000)])).rejects.toThrow('too late');
    expect(sent()).toBe(0);
  });
});
