import { describe, expect, it } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { Contribution } from '../channel/messages.js';
import { createLeadInbox } from './lead-inbox.js';

const PARTNER = startReplica(2, 'a');
const given = (reason: string): Contribution => ({
  givenAt: 0,
  treeSignature: Buffer.alloc(64),
  parts: [{ kind: 'retry', reason }],
});
const GIVEN = given('x');

const batch = (batchId: string, partner: Replica = PARTNER) => ({ batchId, partner }) as SignBatch;

function openInbox() {
  const started: [string, Contribution][] = [];
  const clock = { now: 1_000_000 };
  const inbox = createLeadInbox(
    ({ batchId }, contribution) => void started.push([batchId, contribution]),
    () => clock.now,
  );
  return { inbox, started, clock };
}

describe('a batch that this replica leads', () => {
  it("starts once the gateway's job and the partner's contribution are there, in any order", () => {
    const { inbox, started } = openInbox();
    inbox.addBatch(batch('a'));
    inbox.addContribution(PARTNER, 'b', GIVEN);
    expect(started).toEqual([]);
    inbox.addContribution(PARTNER, 'a', GIVEN);
    inbox.addBatch(batch('b'));
    expect(started).toEqual([
      ['a', GIVEN],
      ['b', GIVEN],
    ]);
  });

  it('starts once, with what came first', () => {
    const { inbox, started } = openInbox();
    const other = given('y');
    inbox.addContribution(PARTNER, 'a', GIVEN);
    inbox.addContribution(PARTNER, 'a', other);
    inbox.addBatch(batch('a'));
    inbox.addBatch(batch('a'));
    expect(started).toEqual([['a', GIVEN]]);
  });

  it('does not start with the word of a replica that is not its partner', () => {
    const { inbox, started } = openInbox();
    inbox.addBatch(batch('a'));
    inbox.addContribution(startReplica(2, 'a'), 'a', GIVEN);
    inbox.addContribution(startReplica(3, 'a'), 'b', GIVEN);
    inbox.addBatch(batch('b'));
    expect(started).toEqual([]);
  });

  it('is dropped when its other half has not come within five seconds', () => {
    const { inbox, started, clock } = openInbox();
    inbox.addBatch(batch('old'));
    clock.now += 5_000;
    inbox.addBatch(batch('young'));
    clock.now += 1;
    inbox.addBatch(batch('another'));
    for (const id of ['old', 'young']) inbox.addContribution(PARTNER, id, GIVEN);
    expect(started).toEqual([['young', GIVEN]]);
  });

  it('makes room for others when more than 4 096 wait, the first first', () => {
    const { inbox, started } = openInbox();
    for (let count = 0; count <= 4_096; count++) inbox.addBatch(batch(`b${count}`));
    for (const id of ['b1', 'b4096']) inbox.addContribution(PARTNER, id, GIVEN);
    expect(started.map(([id]) => id)).toEqual(['b1', 'b4096']);
    inbox.addContribution(PARTNER, 'b0', GIVEN);
    expect(started).toHaveLength(2);
  });
});
