import { describe, expect, it } from '@jest/globals';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import type { LedgerPlace } from '@countersign/vault/ledger/place-types.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import type { PartyContext } from './party-context.js';
import { LEASE_MS } from '../party/head-trust.js';
import { isFoldCurrent, seenBeyond, evaluateAtHead } from './evaluate-at-head.js';

const NOW = 1_800_000_000_000;
const HASH = 'ab'.repeat(32);
const BATCH = { ledgerSeq: 5, ledgerHash: HASH };
const PLACE = { state: { ...EMPTY_STATE, seq: 5, headHash: HASH }, rules: 1 } as LedgerPlace;

/** A log with entry 5 as the batch names it, folded up to `seq`; what a read of the database brings. */
function openDecider({
  seq = 9,
  confirmedMsAgo = 0,
  reads = {},
  pins = (seq: number) => seq >= 0,
  isSuperseded = (seq: number) => seq < 0,
} = {}) {
  const asked: string[] = [];
  let log = { seq, confirmedMsAgo };
  const follower = {
    get state() {
      return { ...EMPTY_STATE, seq: log.seq };
    },
    get view(): Pick<LedgerView, 'at'> {
      return { at: (at, hash) => (at === 5 && hash === HASH && log.seq >= 5 ? PLACE : undefined) };
    },
    get confirmedMsAgo() {
      return log.confirmedMsAgo;
    },
    async catchUp() {
      asked.push('read');
      log = { ...log, ...reads };
    },
    async waitUntil(holds: (state: VaultState) => boolean) {
      asked.push('wait');
      return holds({ ...EMPTY_STATE, seq: log.seq });
    },
  } as unknown as LedgerFollower;
  const covers = async (head: number) => {
    asked.push(`covers ${head}`);
    return pins(head);
  };
  const heads = { isSuperseded };
  return { decider: { follower, trust: { covers }, heads }, asked };
}

describe('a party evaluates at a pinned head', () => {
  it('that is in its log, confirmed and pinned: what was in force there decides', async () => {
    const { decider, asked } = openDecider();
    expect(await evaluateAtHead(decider, BATCH)).toBe(PLACE);
    expect(asked).toEqual(['covers 5']);
  });

  it('that it has to read first', async () => {
    const { decider, asked } = openDecider({ seq: 4, reads: { seq: 5 } });
    expect(await evaluateAtHead(decider, BATCH)).toBe(PLACE);
    expect(asked).toEqual(['read', 'wait', 'covers 5']);
  });

  it('never where its log has another entry there: another history is no head', async () => {
    const { decider } = openDecider();
    const other = { ...BATCH, ledgerHash: 'cd'.repeat(32) };
    expect(await evaluateAtHead(decider, other)).toBeUndefined();
  });

  it('never where its log does not reach so far', async () => {
    const { decider } = openDecider({ seq: 4 });
    expect(await evaluateAtHead(decider, BATCH)).toBeUndefined();
  });

  it('never where its primary replica has not pinned it', async () => {
    const { decider } = openDecider({ pins: (head) => head < 5 });
    expect(await evaluateAtHead(decider, BATCH)).toBeUndefined();
  });

  it('never where it has known a newer one for some seconds', async () => {
    const { decider } = openDecider({ isSuperseded: (seq) => seq < 6 });
    expect(await evaluateAtHead(decider, BATCH)).toBeUndefined();
  });

  it('never over a fold that was not confirmed within the lease', async () => {
    const { decider, asked } = openDecider({ confirmedMsAgo: LEASE_MS });
    expect(await evaluateAtHead(decider, BATCH)).toBeUndefined();
    expect(asked).toEqual(['covers 5', 'read']);
  });
});

describe('a fold is current', () => {
  const isCurrent = async (confirmedMsAgo: number, reads = {}) => {
    const { decider, asked } = openDecider({ confirmedMsAgo, reads });
    return [await isFoldCurrent(decider), asked];
  };

  it('within the lease, and is read again after it', async () => {
    expect(await isCurrent(LEASE_MS - 1)).toEqual([true, []]);
    expect(await isCurrent(LEASE_MS, { confirmedMsAgo: 0 })).toEqual([true, ['read']]);
    expect(await isCurrent(LEASE_MS)).toEqual([false, ['read']]);
  });

  it('is not when it cannot be read', async () => {
    const { decider } = openDecider({ confirmedMsAgo: LEASE_MS });
    const catchUp = () => Promise.reject(new Error('no database'));
    const follower = { ...decider.follower, catchUp, confirmedMsAgo: LEASE_MS };
    expect(await isFoldCurrent({ ...decider, follower })).toBe(false);
  });
});

describe('what was seen beyond a head', () => {
  const head: VaultState = { ...EMPTY_STATE, seq: 5 };
  const moved: VaultState = { ...head, seq: 9, headHash: HASH, time: NOW };
  const frozen: VaultState = { ...moved, systemFreeze: { at: 1, by: 'x', reason: null } };
  const beyond = (state: VaultState, optimistic: VaultState) =>
    seenBeyond(head, { view: { state, optimistic } } as Pick<PartyContext['follower'], 'view'>);

  it('is nothing where only words were said since', () => {
    expect(beyond(head, head)).toEqual([]);
    expect(beyond(moved, moved)).toEqual([]);
  });

  it('is what came in force since, and what waits to', () => {
    expect(beyond(frozen, frozen)).toEqual([frozen]);
    expect(beyond(moved, frozen)).toEqual([frozen]);
  });

  it('is both where what waits undoes what came in force, or returns to what was at the head', () => {
    expect(beyond(frozen, moved)).toEqual([frozen, moved]);
    const worse: VaultState = { ...frozen, vaultId: 'x' };
    expect(beyond(frozen, worse)).toEqual([frozen, worse]);
  });
});
