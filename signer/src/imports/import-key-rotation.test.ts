import { randomBytes, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import {
  createLedgerBuilder,
  testPrivateKey,
  type LedgerBuilder,
} from '../../../test/support/ledger-builder.js';
import { appendRecipient, signedRecipient } from '../../../test/support/party-facts.js';
import { openImportKeyRotation } from './import-key-rotation.js';

const HOUR_MS = 3_600_000;
const LOOK_MS = 60_000;
const RETRY_MS = 1_000;
const SEALED = { wrappedDek: randomBytes(60), sealed: randomBytes(60) };

let ledger: LedgerBuilder;
/** What party 1 did, in order. */
let log: string[];
/** The private keys that it keeps: when they expire, by id. */
let kept: Map<string, number>;
let isLockFree: boolean;
let isLedgerDown: boolean;
/** What the ledger turns out to hold when it is read again. */
let meanwhile: () => void;
let primary: { stop(): void } | undefined;

beforeEach(() => {
  jest.useFakeTimers();
  ledger = createLedgerBuilder();
  log = [];
  kept = new Map();
  isLockFree = true;
  isLedgerDown = false;
  meanwhile = () => undefined;
});
afterEach(() => {
  primary?.stop();
  jest.useRealTimers();
});

/** Party 1's primary replica over a real fold; its threads, store and lock are the test's. */
async function openPrimary(): Promise<void> {
  primary = openImportKeyRotation({
    party: 1,
    follower: {
      get view() {
        return ledger.view;
      },
      async catchUp() {
        meanwhile();
      },
    } as unknown as LedgerFollower,
    ledger: {
      async append(bodies: readonly Uint8Array[]) {
        if (isLedgerDown) throw new Error('the database is away');
        for (const body of bodies) {
          const { refusal } = ledger.append(body);
          log.push(refusal === undefined ? 'told' : `refused: ${refusal.message}`);
        }
      },
    } as unknown as LedgerStore,
    threads: {
      async makeRecipient(recipientId) {
        return { recipientId, publicKey: randomBytes(32), ...SEALED };
      },
      signIdentity: async (messages) =>
        messages.map((message) => sign(null, message, testPrivateKey('party 1'))),
    },
    recipients: {
      find: async (recipientId) => (kept.has(recipientId) ? { recipientId, ...SEALED } : undefined),
      async insert({ recipientId }, expiresAt) {
        log.push('kept');
        kept.set(recipientId, expiresAt);
      },
      async deleteExpiredBefore(time) {
        for (const [id, expiresAt] of kept) if (expiresAt < time) kept.delete(id);
      },
    },
    lock: {
      acquire: async () => isLockFree,
      release: async () => void log.push('unlocked'),
      close: async () => undefined,
    },
    logger: createLogger('test', 'silent'),
    now: () => ledger.now,
  });
  await pass(0);
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** The next look of the primary replica, at this time of its clock. */
async function lookAt(time: number): Promise<void> {
  ledger.now = time;
  await pass(LOOK_MS);
}

const told = () => ledger.state.importRecipients.filter(({ party }) => party === 1);

describe('a party', () => {
  it('has a recipient as soon as it runs: good for a day, its private key kept before it is told', async () => {
    const start = ledger.now;
    await openPrimary();
    expect(log).toEqual(['kept', 'told', 'unlocked']);
    const [recipient] = told();
    expect(recipient?.expiresAt).toBe(start + 24 * HOUR_MS);
    expect([...kept]).toEqual([[recipient?.id, recipient?.expiresAt]]);
  });

  it('has another twelve hours before the one it has expires, and not sooner', async () => {
    const start = ledger.now;
    await openPrimary();
    await lookAt(start + 12 * HOUR_MS - 1);
    expect(told()).toHaveLength(1);
    await lookAt(start + 12 * HOUR_MS);
    const expiries = told().map(({ expiresAt }) => expiresAt);
    expect(expiries).toEqual([start + 24 * HOUR_MS, start + 36 * HOUR_MS]);
    expect(kept.size).toBe(2);
  });

  it('deletes a private key an hour after it expired, and not sooner', async () => {
    const start = ledger.now;
    await openPrimary();
    const [first] = told();
    await lookAt(start + 12 * HOUR_MS);
    await lookAt(start + 25 * HOUR_MS);
    expect(kept.has(first!.id)).toBe(true);
    await lookAt(start + 25 * HOUR_MS + 1);
    expect(kept.has(first!.id)).toBe(false);
    expect(told().every(({ id, expiresAt }) => kept.has(id) || expiresAt <= ledger.now)).toBe(true);
  });

  it('deletes what expired while it was away before anything else', async () => {
    kept.set('old', ledger.now - HOUR_MS - 1);
    kept.set('just expired', ledger.now - HOUR_MS);
    isLockFree = false;
    await openPrimary();
    expect([...kept.keys()]).toEqual(['just expired']);
  });

  it('has another at once when the private key of the one it has is gone', async () => {
    await openPrimary();
    const [first] = told();
    kept.clear();
    await lookAt(ledger.now + LOOK_MS);
    expect(told().map(({ id }) => id)).toEqual([first!.id, ...kept.keys()]);
    expect(kept.size).toBe(1);
  });

  it("does not take another party's recipient for its own", async () => {
    for (const party of [2, 3] as const) {
      appendRecipient(ledger, signedRecipient(ledger, party, 'of another'));
    }
    await openPrimary();
    expect(told()).toHaveLength(1);
  });
});

describe('of two replicas of a party', () => {
  it('the one that finds the other at it makes none', async () => {
    isLockFree = false;
    await openPrimary();
    await pass(10 * RETRY_MS);
    expect([log, told()]).toEqual([[], []]);
    isLockFree = true;
    await pass(RETRY_MS);
    expect(told()).toHaveLength(1);
  });

  it('the one that comes second looks again before it makes one', async () => {
    const ofOther = signedRecipient(ledger, 1, 'of the other replica');
    meanwhile = () => {
      if (told().length > 0) return;
      kept.set(ofOther.recipientId, ofOther.expiresAt);
      appendRecipient(ledger, ofOther);
    };
    await openPrimary();
    expect(log).toEqual(['unlocked']);
    expect(told().map(({ id }) => id)).toEqual([ofOther.recipientId]);
  });
});

describe('a primary replica', () => {
  it('that could not tell its recipient tries again within a second', async () => {
    isLedgerDown = true;
    await openPrimary();
    expect([log, told()]).toEqual([['kept', 'unlocked'], []]);
    isLedgerDown = false;
    await pass(RETRY_MS);
    expect(told()).toHaveLength(1);
    expect(kept.has(told()[0]!.id)).toBe(true);
  });

  it('that was stopped makes none', async () => {
    isLockFree = false;
    await openPrimary();
    primary?.stop();
    isLockFree = true;
    await pass(10 * LOOK_MS);
    expect(told()).toEqual([]);
  });
});
