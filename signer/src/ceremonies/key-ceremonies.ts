/**
 * Completes the keys that the ledger asks for. A job only wakes it: the work is each key that the fold shows as
 * pending. So nobody can ask for a key that the ledger does not name, and no crash can lose one. Party 1 calls the
 * runs. A run that fails is followed by another, unless a party finds that the key can never be, and says so in the
 * ledger.
 */
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import type { ShareStore } from '../records/share-store.js';
import { callRun, decodeRunStart, type RunCallerDeps } from './ceremony-run.js';
import { CallSchedule, laneOf } from './call-schedule.js';
import { createKeyRuns, type KeyRuns, type KeyRunsDeps } from './key-runs.js';
import { isProtocolFault } from './rsa-ceremony.js';
import type { KeyLock } from '../party/key-lock.js';
import { StartPace } from './start-pace.js';
import { sweepShares, tidyShares } from './share-sweep.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

export const CALLER = 1;
const CHECK_MS = 1_000;
/** A sweep deletes what a failed deletion or a late run left. */
const SWEEP_MS = 60_000;
/** How long to wait for the other parties, which attest at their own pace. */
const ATTEST_WAIT_MS = 5_000;
/** How long to wait for the ledger to show the key that a run was called for. */
const KEY_WAIT_MS = 2_000;
export const KEY_START = 'start';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface KeyCeremoniesDeps extends RunCallerDeps, KeyRunsDeps {
  readonly follower: LedgerFollower;
  readonly shares: ShareStore;
  readonly lock: KeyLock;
  readonly logger: Logger;
  readonly alarms: Alarms;
  readonly now: () => number;
  /** Finds a key made ahead that may become this one; empty for none. */
  findStock(keyId: string): Promise<string>;
}

export interface KeyCeremonies {
  /** Takes a message with the tag `KEY_START`. */
  receive(from: Replica, message: CeremonyMessage): void;
  onOutcomes(outcomes: readonly EntryOutcome[]): void;
  /** Begins what the ledger asks for and is not begun. It also looks once a second by itself. */
  look(): void;
  stop(): void;
}

export function openKeyCeremonies(deps: KeyCeremoniesDeps): KeyCeremonies {
  const { self, follower, shares, now } = deps;
  const logFailure = failureLog(deps);
  const runs = createKeyRuns(deps);
  const schedule = new CallSchedule();
  const pace = new StartPace();
  let isStopped = false;

  function check(): void {
    if (self.party !== CALLER || isStopped) return;
    for (const key of schedule.begin(pendingKeys(follower.state), now())) {
      void call(deps, runs, key)
        .catch(logFailure(key.id))
        .finally(() => {
          schedule.end(key, follower.state.keys.indexes.pending.has(key.id), now());
          check();
        });
    }
  }

  function sweep(): void {
    sweepShares(shares, follower.state).catch(logFailure(''));
  }

  const ticks = openTicks(CHECK_MS, check);
  const sweeps = setInterval(sweep, SWEEP_MS);
  check();
  sweep();

  return {
    receive(from, message) {
      if (from.party !== CALLER || self.party === CALLER) return;
      if (!pace.begin(message.keyId, now())) return;
      join(follower, runs, message)
        .catch(logFailure(message.keyId))
        .finally(() => pace.end());
    },
    onOutcomes(outcomes) {
      for (const { kind, keyId } of keysOf(outcomes)) {
        tidyShares(shares, follower.state, { kind, keyId }).catch(logFailure(keyId));
      }
      check();
    },
    look: check,
    stop() {
      isStopped = true;
      ticks.stop();
      clearInterval(sweeps);
      runs.stop();
    },
  };
}

/** Oldest first. */
function pendingKeys({ keys }: VaultState): Key[] {
  return keys.indexes.pending
    .toArray()
    .flatMap((keyId) => keys.rows.get(keyId) ?? [])
    .toSorted((a, b) => a.createdAt - b.createdAt);
}

/** The keys that entries were about, without entries that were refused. */
function keysOf(outcomes: readonly EntryOutcome[]) {
  return outcomes
    .filter(({ refusal }) => refusal === undefined)
    .flatMap(({ kind, subject }) => (subject?.keyIds ?? []).map((keyId) => ({ kind, keyId })));
}

async function call(deps: KeyCeremoniesDeps, runs: KeyRuns, key: Key): Promise<void> {
  const { follower, lock } = deps;
  const keyId = key.id;
  const lane = laneOf(key);
  if (!(await lock.acquire(lane))) return; // another replica of party 1 is at it
  try {
    const stockId = await deps.findStock(keyId);
    const run = await callRun(deps, { tag: KEY_START, keyId, stockId });
    if (run === undefined) return;
    await runs.take(run.session, keyId, run.start);
    // the others attest at their own pace: they get a moment before another run is called
    await follower.waitUntil((state) => !state.keys.indexes.pending.has(keyId), ATTEST_WAIT_MS);
  } finally {
    await lock.release(lane);
  }
}

/** Joins a run called by party 1: the ledger says whether the key is really asked for. */
async function join(
  follower: LedgerFollower,
  runs: KeyRuns,
  { session, keyId, payload }: CeremonyMessage,
): Promise<void> {
  const isWanted = await follower.waitUntil(
    (state) => state.keys.indexes.pending.has(keyId),
    KEY_WAIT_MS,
  );
  if (!isWanted) throw new Error('a run for a key that the ledger does not ask for');
  await runs.take(session, keyId, decodeRunStart(payload));
}

/** Returns for each key a function that logs what went wrong with it. */
function failureLog({
  logger,
  alarms,
}: Pick<KeyCeremoniesDeps, 'logger' | 'alarms'>): (keyId: string) => (error: unknown) => void {
  return (keyId) => (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (isProtocolFault(error)) {
      const { party } = error;
      alarms.raise({
        kind: 'party_misbehaved',
        party,
        reason: `spoiled the generation of key ${keyId}: ${reason}`,
      });
    }
    logger.warn({ event: 'key_ceremony_failed', key_id: keyId, reason }, 'key ceremony failed');
  };
}
