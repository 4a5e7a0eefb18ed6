import { describe, expect, it } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { VouchMessage } from './head-trust.js';
import { createReplicaVouching, UNDER_WAY_MS } from './vouch-for-replicas.js';

const NOW = 1_800_000;
const LEASE_MS = 1_000;
const MEMORY_MS = UNDER_WAY_MS;
const [REPLICA, OTHER] = [startReplica(1, 'b'), startReplica(1, 'c')];
const HASH = 'ab'.repeat(32);

/** A primary replica that has pinned entry 8, over a fold that was read just now. */
function openVouching() {
  const world = { elapsed: NOW, confirmedAt: NOW, pinnedSeq: 8, read: async () => undefined };
  const sent: { to: Replica; message: VouchMessage }[] = [];
  const vouching = createReplicaVouching({
    follower: {
      view: { state: { seq: 8, headHash: HASH } },
      get confirmedMsAgo() {
        return world.elapsed - world.confirmedAt;
      },
      get pinnedSeq() {
        return world.pinnedSeq;
      },
      catchUp: () => world.read(),
    } as Pick<LedgerFollower, 'view' | 'confirmedMsAgo' | 'pinnedSeq' | 'catchUp'>,
    elapsed: () => world.elapsed,
    async send(to, message) {
      sent.push({ to, message });
      throw new Error('no Redis');
    },
  });
  const ask = (from: Replica, clearedSeq: number, token = 7) =>
    vouching.receive(from, { kind: 'vouch-request', token, clearedSeq });
  return { vouching, world, sent, ask };
}

describe('a primary replica vouches', () => {
  it('for the head that it shows, to whoever of its party asks, under the token of the question', () => {
    const { ask, sent } = openVouching();
    ask(REPLICA, 8, 7);
    ask(OTHER, 8, 9);
    const hash = Buffer.from(HASH, 'hex');
    expect(sent).toEqual([
      { to: REPLICA, message: { kind: 'vouch', token: 7, seq: 8, hash } },
      { to: OTHER, message: { kind: 'vouch', token: 9, seq: 8, hash } },
    ]);
  });

  it('once it has read the ledger, when its own fold was not confirmed within the lease', async () => {
    const { ask, sent, world } = openVouching();
    world.confirmedAt = NOW - LEASE_MS;
    world.read = async () => void (world.confirmedAt = NOW);
    ask(REPLICA, 3);
    expect(sent).toEqual([]);
    await new Promise(setImmediate);
    expect(sent).toHaveLength(1);
  });

  it('for nothing when its own fold could not be confirmed within the lease', async () => {
    const { ask, sent, world, vouching } = openVouching();
    world.confirmedAt = NOW - LEASE_MS;
    for (const read of [async () => undefined, () => Promise.reject(new Error('no database'))]) {
      world.read = read;
      ask(REPLICA, 3);
      await new Promise(setImmediate);
    }
    expect(sent).toEqual([]);
    // whom it did not vouch for signs nothing, and holds nothing up
    expect(vouching.isCleared(8)).toBe(true);
    world.confirmedAt = NOW - LEASE_MS + 1;
    ask(REPLICA, 3);
    expect(sent).toHaveLength(1);
  });

  it('for nothing that its disk has not taken', () => {
    const { ask, sent, world, vouching } = openVouching();
    world.pinnedSeq = 7;
    ask(REPLICA, 3);
    expect(sent).toEqual([]);
    expect(vouching.isCleared(8)).toBe(true);
    world.pinnedSeq = 8;
    ask(REPLICA, 3);
    expect(sent).toHaveLength(1);
  });

  it('for nothing when its own fold has stopped', () => {
    const { ask, sent, world } = openVouching();
    world.confirmedAt = Number.NEGATIVE_INFINITY;
    ask(REPLICA, 8);
    expect(sent).toEqual([]);
  });

  it('for nothing on an answer', () => {
    const { vouching, sent } = openVouching();
    vouching.receive(REPLICA, { kind: 'vouch', token: 7, seq: 8, hash: Buffer.alloc(32) });
    expect(sent).toEqual([]);
  });

  it('to so many replicas at most, and to one more when one has been silent for long', () => {
    const { ask, sent, world } = openVouching();
    const many = Array.from({ length: 256 }, (_, index) => startReplica(1, `r${index}`));
    for (const replica of many) ask(replica, 8);
    ask(REPLICA, 8);
    expect(sent).toHaveLength(256);
    ask(many[0]!, 8);
    expect(sent).toHaveLength(257);
    world.elapsed = world.confirmedAt = NOW + MEMORY_MS + 1;
    ask(REPLICA, 8);
    expect(sent.at(-1)?.to).toBe(REPLICA);
  });
});

describe('a freeze is cleared', () => {
  it('where the primary replica has vouched for nobody', () => {
    expect(openVouching().vouching.isCleared(8)).toBe(true);
  });

  it('once every replica has said that nothing of it is older', () => {
    const { ask, vouching } = openVouching();
    ask(REPLICA, 7);
    ask(OTHER, 8);
    expect([vouching.isCleared(7), vouching.isCleared(8)]).toEqual([true, false]);
    ask(REPLICA, 8);
    expect(vouching.isCleared(8)).toBe(true);
    // what begins later may rest on what it likes: it was decided in full view of the freeze
    ask(REPLICA, 7);
    expect(vouching.isCleared(8)).toBe(false);
  });

  it('by a replica that is silent once nothing that it decided can come to a signature', () => {
    const { ask, vouching, world } = openVouching();
    ask(REPLICA, 7);
    world.elapsed = NOW + MEMORY_MS;
    expect(vouching.isCleared(8)).toBe(false);
    world.elapsed = NOW + MEMORY_MS + 1;
    expect(vouching.isCleared(8)).toBe(true);
  });

  it('by a replica that says so while its primary replica knows too little to vouch for it', () => {
    const { ask, vouching, world, sent } = openVouching();
    ask(REPLICA, 7);
    world.confirmedAt = NOW - LEASE_MS;
    const heard: boolean[] = [];
    vouching.onCleared(() => heard.push(vouching.isCleared(8)));
    ask(REPLICA, 8);
    expect(heard).toEqual([true]);
    expect(sent).toHaveLength(1);
  });

  it('by the newest that a replica says, though an older question is answered after a reading', async () => {
    const { ask, vouching, world } = openVouching();
    ask(REPLICA, 7);
    let read: (value: undefined) => void = () => undefined;
    world.read = () => new Promise<undefined>((resolve) => (read = resolve));
    world.confirmedAt = NOW - LEASE_MS;
    ask(REPLICA, 7);
    world.confirmedAt = NOW;
    ask(REPLICA, 8);
    read(undefined);
    await new Promise(setImmediate);
    expect(vouching.isCleared(8)).toBe(true);
  });

  it('as long after it was vouched for last, whatever it asks in vain since', () => {
    const { ask, vouching, world } = openVouching();
    ask(REPLICA, 7);
    world.elapsed = NOW + MEMORY_MS;
    ask(REPLICA, 7);
    expect(vouching.isCleared(8)).toBe(false);
    world.elapsed = NOW + MEMORY_MS + 1;
    expect(vouching.isCleared(8)).toBe(true);
  });

  it('by each process for itself: a restarted replica does not speak for the one before it', () => {
    const { ask, vouching } = openVouching();
    ask(REPLICA, 7);
    ask(startReplica(1, 'b'), 8);
    expect(vouching.isCleared(8)).toBe(false);
  });

  it('and those who wait for it are told with every question, when it counts already', () => {
    const { ask, vouching } = openVouching();
    const heard: boolean[] = [];
    vouching.onCleared(() => heard.push(vouching.isCleared(8)));
    ask(REPLICA, 7);
    ask(REPLICA, 8);
    expect(heard).toEqual([false, true]);
  });
});
