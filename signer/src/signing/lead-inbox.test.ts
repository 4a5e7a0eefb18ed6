import { describe, expect, it } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { PartnerPart } from '../channel/messages.js';
import { createLeadInbox } from './lead-inbox.js';

const PARTNER = startReplica(2, 'a');
const PARTS: PartnerPart[] = [{ kind: 'retry', reason: 'x' }];

const batch = (batchId: string, partner: Replica = PARTNER) => ({ batchId, partner }) as SignBatch;

function openInbox() {
  const started: [string, readonly PartnerPart[]][] = [];
  const clock = { now: 1_000_000 };
  const inbox = createLeadInbox(
    ({ batchId }, parts) => void started.push([batchId, parts]),
    () => clock.now,
  );
  return { inbox, started, clock };
}

describe('a batch that this replica leads', () => {
  it("starts once the gateway's job and the partner's contribution are there, in any order", () => {
    const { inbox, started } = openInbox();
    inbox.addBatch(batch('a'));
    inbox.addContribution(PARTNER, 'b', PARTS);
    expect(started).toEqual([]);
    inbox.addContribution(PARTNER, 'a', PARTS);
    inbox.addBatch(batch('b'));
    expect(started).toEqual([
      ['a', PARTS],
      ['b', PARTS],
    ]);
  });

  it('starts once, with what came first', () => {
    const { inbox, started } = openInbox();
    const other: PartnerPart[] = [{ kind: 'retry', reason: 'y' }];
    inbox.addContribution(PARTNER, 'a', PARTS);
    inbox.addContribution(PARTNER, 'a', other);
    inbox.addBatch(batch('a'));
    inbox.addBatch(batch('a'));
    expect(started).toEqual([['a', PARTS]]);
  });

  it('does not start with the word of a replica that is not its partner', () => {
    const { inbox, started } = openInbox();
    inbox.addBatch(batch('a'));
    inbox.addContribution(startReplica(2, 'a'), 'a', PARTS);
    inbox.addContribution(startReplica(3, 'a'), 'b', PARTS);
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
    for (const id of ['old', 'young']) inbox.addContribution(PARTNER, id, PARTS);
    expect(started).toEqual([['young', PARTS]]);
  });

  it('makes room for others when more than 4 096 wait, the first first', () => {
    const { inbox, started } = openInbox();
    for (let count = 0; count <= 4_096; count++) inbox.addBatch(batch(`b${count}`));
    for (const id of ['b1', 'b4096']) inbox.addContribution(PARTNER, id, PARTS);
    expect(started.map(([id]) => id)).toEqual(['b1', 'b4096']);
    inbox.addContribution(PARTNER, 'b0', PARTS);
    expect(started).toHaveLength(2);
  });
});
