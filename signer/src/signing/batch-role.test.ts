import { describe, expect, it } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import { roleIn } from './batch-role.js';

const one = startReplica(1, 'a');
const two = startReplica(2, 'a');

describe('the role in a batch', () => {
  it('is the one that the batch names this replica for', () => {
    expect(roleIn({ lead: one, partner: two }, one)).toBe('lead');
    expect(roleIn({ lead: one, partner: two }, two)).toBe('partner');
  });

  it('is none for a party that is not named', () => {
    expect(roleIn({ lead: one, partner: two }, startReplica(3, 'a'))).toBeUndefined();
  });

  it("is none for another process of the party, or this one's predecessor", () => {
    expect(roleIn({ lead: one, partner: two }, startReplica(1, 'b'))).toBeUndefined();
    expect(roleIn({ lead: one, partner: two }, startReplica(1, 'a'))).toBeUndefined();
  });

  it('is none where one party is to play both roles', () => {
    const other = startReplica(1, 'b');
    expect(roleIn({ lead: one, partner: one }, one)).toBeUndefined();
    expect(roleIn({ lead: one, partner: other }, one)).toBeUndefined();
    expect(roleIn({ lead: one, partner: other }, other)).toBeUndefined();
  });
});
