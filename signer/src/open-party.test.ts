/** What a party's primary replica acknowledges while its host's clock is set. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { OutcomeListener } from '@countersign/runtime/ledger/followed-fold.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { openTrust, type PartyTrust } from './open-party.js';
import { UNDER_WAY_MS } from './party/vouch-for-replicas.js';

const HOUR_MS = 3_600_000;
const LOOK_AGAIN_MS = 1_000;
const START = Date.UTC(2026, 10, 22);

let stops: (() => unknown)[];

function open({ isRestarted = false } = {}) {
  const said: string[] = [];
  const listeners: OutcomeListener[] = [];
  const view = viewAt(4);
  const process = {
    logger: { warn: () => undefined },
    life: { onStop: (stop: () => unknown) => void stops.push(stop) },
    now: Date.now,
    elapsed: () => performance.now(),
  };
  const ground = {
    self: startReplica(1, 'a'),
    isPrimary: true,
    isRestarted,
    newestFreeze: () => 0,
    follower: {
      view,
      state: view.state,
      pinnedSeq: Infinity,
      fault: undefined,
      confirmedMsAgo: 0,
      onOutcomes: (listener: OutcomeListener) => void listeners.push(listener),
    },
    ledger: {
      async append(bodies: readonly Uint8Array[]) {
        said.push(...bodies.map((body) => decodeEntryBody(body).content.kind));
        return [];
      },
    },
    threads: {
      signIdentity: async (messages: readonly unknown[]) => messages.map(() => Buffer.alloc(64)),
    },
    send: async () => undefined,
  };
  const { vouching }: PartyTrust = openTrust(process as never, ground as never);
  return {
    vouching,
    said,
    /** Two parties have judged a freeze. */
    freeze() {
      const freeze = { seq: 4, operation: { action: 'freeze' } } as unknown as EntryOutcome;
      for (const listener of listeners) listener([freeze], view);
    },
  };
}

function viewAt(seq: number): LedgerView {
  const hash = Buffer.alloc(32, seq).toString('hex');
  const genesisHash = 'ab'.repeat(32);
  return {
    state: { ...EMPTY_STATE, seq, headHash: hash, genesisHash },
    optimistic: EMPTY_STATE,
    pending: [],
    countersignatures: new Map(),
    acknowledged: new Map(),
    rules: 1,
    at: () => undefined,
    hashAt: () => hash,
  };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const setClockBy = (ms: number) => jest.setSystemTime(Date.now() + ms);

beforeEach(() => {
  jest.useFakeTimers({ now: START });
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  jest.useRealTimers();
});

describe('a primary replica that was started again acknowledges a freeze', () => {
  it('once nothing of the process before can come to a signature', async () => {
    const { freeze, said } = open({ isRestarted: true });
    freeze();
    await pass(UNDER_WAY_MS - LOOK_AGAIN_MS);
    expect(said).toEqual([]);
    await pass(2 * LOOK_AGAIN_MS);
    expect(said).toEqual(['acknowledgement']);
  });

  it('as soon although the clock was set back', async () => {
    const { freeze, said } = open({ isRestarted: true });
    setClockBy(-HOUR_MS);
    freeze();
    await pass(UNDER_WAY_MS + LOOK_AGAIN_MS);
    expect(said).toEqual(['acknowledgement']);
  });

  it('no sooner although the clock was set ahead', async () => {
    const { freeze, said } = open({ isRestarted: true });
    setClockBy(HOUR_MS);
    freeze();
    await pass(UNDER_WAY_MS - LOOK_AGAIN_MS);
    expect(said).toEqual([]);
  });
});

describe('a primary replica that has vouched for a replica acknowledges a freeze', () => {
  const vouched = () => {
    const opened = open();
    const question = { kind: 'vouch-request', token: 1, clearedSeq: 3 } as const;
    opened.vouching.receive(startReplica(1, 'b'), question);
    return opened;
  };

  it('once nothing of that replica, which was killed, can come to a signature, although the clock was set back', async () => {
    const { freeze, said } = vouched();
    setClockBy(-HOUR_MS);
    freeze();
    await pass(UNDER_WAY_MS + 2 * LOOK_AGAIN_MS);
    expect(said).toEqual(['acknowledgement']);
  });

  it('no sooner although the clock was set ahead', async () => {
    const { freeze, said } = vouched();
    setClockBy(HOUR_MS);
    freeze();
    await pass(UNDER_WAY_MS - LOOK_AGAIN_MS);
    expect(said).toEqual([]);
  });
});
