import { describe, expect, it } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { createLeadInbox } from './lead-inbox.js';

const PARTNER = startReplica(2, 'a');
const HOSTILE = startReplica(3, 'a');
const PARTS = 'what the partner gives';

const batch = (batchId: string, partner: Replica = PARTNER, bodyBytes = 100) =>
  ({
    batchId,
    partner,
    items: [{ evidence: { body: Buffer.alloc(bodyBytes) } }],
  }) as unknown as SignBatch;

function openInbox() {
  const started: [string, string][] = [];
  const clock = { now: 1_000_000 };
  const inbox = createLeadInbox<string>(
    ({ batchId }, parts) => void started.push([batchId, parts]),
    () => clock.now,
  );
  const contribute = (from: Replica, batchId: string, parts = PARTS, bytes = 500) =>
    inbox.addContribution(from, batchId, parts, bytes);
  return { inbox, started, clock, contribute };
}

describe('a batch that this replica leads', () => {
  it("starts once the gateway's job and the partner's contribution are there, in any order", () => {
    const { inbox, started, contribute } = openInbox();
    inbox.addBatch(batch('a'));
    contribute(PARTNER, 'b');
    expect(started).toEqual([]);
    contribute(PARTNER, 'a');
    inbox.addBatch(batch('b'));
    expect(started).toEqual([
      ['a', PARTS],
      ['b', PARTS],
    ]);
  });

  it('starts once, with what came first', () => {
    const { inbox, started, contribute } = openInbox();
    contribute(PARTNER, 'a');
    contribute(PARTNER, 'a', 'something else');
    inbox.addBatch(batch('a'));
    inbox.addBatch(batch('a'));
    expect(started).toEqual([['a', PARTS]]);
  });

  it('does not start with the word of a replica that is not its partner', () => {
    const { inbox, started, contribute } = openInbox();
    inbox.addBatch(batch('a'));
    contribute(startReplica(2, 'a'), 'a');
    contribute(HOSTILE, 'b');
    inbox.addBatch(batch('b'));
    expect(started).toEqual([]);
  });

  it("starts with its partner's word whatever others sent under its id, before it or after", () => {
    const { inbox, started, contribute } = openInbox();
    contribute(HOSTILE, 'early', 'junk');
    inbox.addBatch(batch('early'));
    inbox.addBatch(batch('late'));
    contribute(HOSTILE, 'late', 'junk');
    contribute(PARTNER, 'early');
    contribute(PARTNER, 'late');
    expect(started).toEqual([
      ['early', PARTS],
      ['late', PARTS],
    ]);
  });

  it('is dropped when its other half has not come within five seconds', () => {
    const { inbox, started, clock, contribute } = openInbox();
    inbox.addBatch(batch('old'));
    clock.now += 5_000;
    inbox.addBatch(batch('young'));
    clock.now += 1;
    for (const id of ['old', 'young']) contribute(PARTNER, id);
    expect(started).toEqual([['young', PARTS]]);
  });

  it('makes room for others when more than 1 024 wait for one party, the first first', () => {
    const { inbox, started, contribute } = openInbox();
    for (let count = 0; count <= 1_024; count++) inbox.addBatch(batch(`b${count}`));
    for (const id of ['b1', 'b1024', 'b0']) contribute(PARTNER, id);
    expect(started.map(([id]) => id)).toEqual(['b1', 'b1024']);
  });
});

describe('one party', () => {
  it('pushes out nothing of another, with any number of contributions, replicas and bytes', () => {
    const { inbox, started, contribute } = openInbox();
    contribute(PARTNER, 'contributed');
    inbox.addBatch(batch('asked for'));
    for (let count = 0; count < 20_000; count++) {
      contribute(startReplica(3, `fake-${count}`), `x${count}`, 'junk', 250_000);
      contribute(HOSTILE, 'contributed', 'junk', 250_000);
    }
    contribute(PARTNER, 'asked for');
    inbox.addBatch(batch('contributed'));
    expect(started).toEqual([
      ['asked for', PARTS],
      ['contributed', PARTS],
    ]);
  });

  it('that never answers pushes out no batch of another', () => {
    const { inbox, started, contribute } = openInbox();
    inbox.addBatch(batch('good'));
    for (let count = 0; count < 5_000; count++) inbox.addBatch(batch(`h${count}`, HOSTILE, 60_000));
    contribute(PARTNER, 'good');
    expect(started).toEqual([['good', PARTS]]);
  });

  it('has 16 MiB of contributions kept for it, and 64 MiB of batches', () => {
    const { inbox, started, contribute } = openInbox();
    for (let count = 0; count < 9; count++) contribute(PARTNER, `c${count}`, PARTS, 2_097_152);
    for (let count = 0; count < 9; count++) inbox.addBatch(batch(`c${count}`));
    expect(started.map(([id]) => id)).not.toContain('c0');
    expect(started).toHaveLength(8);
    for (let count = 0; count < 70; count++) {
      inbox.addBatch(batch(`d${count}`, PARTNER, 1_048_576 - 1_024));
    }
    for (let count = 0; count < 70; count++) contribute(PARTNER, `d${count}`);
    expect(started.filter(([id]) => id.startsWith('d'))).toHaveLength(64);
  });
});
