/**
 * Completes the keys that the ledger asks for. No job starts it: a key that the fold shows as pending is
 * work to be done, so nobody can ask for a key that the ledger does not name, and no crash can lose one.
 * Party 1 calls the runs; a run that fails is followed by another, unless a party has found that the key
 * can never be: then it says so in the ledger.
 */
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { EntryOutcome } from '@countersign/vault/ledger/apply-entry.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import type { ShareStore } from '../records/share-store.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import {
  callRun,
  createRunSender,
  decodeRunStart,
  type CeremonyInboxes,
  type CeremonyRun,
  type RunCallerDeps,
  type RunStart,
} from './ceremony-run.js';
import type { KeyAttester } from './key-attester.js';
import { RSA_LANE, type KeyLock } from '../party/key-lock.js';
import { KeyRefusedError } from './key-refused-error.js';

const CALLER = 1;
const MAX_RUNS = 8;
const CHECK_MS = 1_000;
/** What a failed deletion or a late run left does not stay for long. */
const SWEEP_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
export const KEY_START = 'start';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface KeyCeremoniesDeps extends RunCallerDeps {
  readonly follower: LedgerFollower;
  readonly shares: ShareStore;
  readonly inboxes: CeremonyInboxes;
  readonly attester: KeyAttester;
  readonly lock: KeyLock;
  readonly logger: Logger;
  readonly now: () => number;
  /** A key made ahead that may become this one; empty for none. */
  findStock(keyId: string): Promise<string>;
  /** Takes part in a run to its end. Throws `KeyRefusedError` when the key can never be. */
  perform(run: CeremonyRun, key: Key): Promise<CompletedShare>;
}

export interface KeyCeremonies {
  /** A message with the tag `KEY_START`. */
  receive(from: Replica, message: CeremonyMessage): void;
  onOutcomes(outcomes: readonly EntryOutcome[]): void;
  stop(): void;
}

/**
 * Runs of one lane follow each other, at all replicas of the party. One RSA generation fills the
 * processors: two at a time would each take twice as long.
 */
function laneOf({ id, type, status }: Key): string {
  return type === 'rsa' && status === 'generating' ? RSA_LANE : id;
}

interface Pause {
  until: number;
  next: number;
}

export function openKeyCeremonies(deps: KeyCeremoniesDeps): KeyCeremonies {
  const { self, follower, inboxes, logger, now } = deps;
  const runs = new Map<string, { readonly key: Key; readonly controller: AbortController }>();
  /** Lanes of the runs that this replica calls. */
  const calling = new Set<string>();
  const pauses = new Map<string, Pause>();
  let isStopped = false;

  /** One run, from this party's first message to its attestation in the ledger. */
  async function takePart(
    session: string,
    keyId: string,
    { replicas, stockId }: RunStart,
  ): Promise<void> {
    const key = follower.state.keys.rows.get(keyId);
    if (key === undefined || !follower.state.keys.indexes.pending.has(keyId)) {
      throw new Error('no such key is to be completed');
    }
    endOvertaken(key);
    const controller = new AbortController();
    runs.set(keyId, { key, controller });
    const send = createRunSender({ session, keyId, replicas }, deps.send);
    const inbox = inboxes.open(session);
    const { signal } = controller;
    try {
      const share = await deps.perform(
        { self, session, keyId, replicas, stockId, inbox, signal, send },
        key,
      );
      if (!follower.state.keys.indexes.pending.has(keyId)) {
        throw new Error('the key was given up meanwhile');
      }
      // stored before it is attested: an active key has three good shares
      await deps.attester.keep(session, key, share);
      await deps.attester.attest(session, key, share);
    } catch (error) {
      if (error instanceof KeyRefusedError) await deps.attester.refuse(key, error.message);
      throw error;
    } finally {
      inboxes.drop(session);
      controller.abort();
      if (runs.get(keyId)?.controller === controller) runs.delete(keyId);
    }
  }

  /** A run is over once its caller has begun another in its lane. */
  function endOvertaken(key: Key): void {
    for (const run of runs.values()) {
      if (laneOf(run.key) === laneOf(key)) run.controller.abort();
    }
  }

  /** Oldest first. */
  function pendingKeys(): Key[] {
    const { keys } = follower.state;
    return keys.indexes.pending
      .toArray()
      .flatMap((keyId) => keys.rows.get(keyId) ?? [])
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async function call(key: Key): Promise<void> {
    const keyId = key.id;
    const lane = laneOf(key);
    if (!(await deps.lock.acquire(lane))) return; // another replica of party 1 is at it
    try {
      const stockId = await deps.findStock(keyId);
      const run = await callRun(deps, { tag: KEY_START, keyId, stockId });
      if (run === undefined) return;
      await takePart(run.session, keyId, run.start);
      // the others attest at their own pace: give them a moment before another run is called
      await follower.waitUntil((state) => !state.keys.indexes.pending.has(keyId), 5_000);
    } finally {
      await deps.lock.release(lane);
    }
  }

  function check(): void {
    if (self.party !== CALLER || isStopped) return;
    for (const key of pendingKeys()) {
      const { id: keyId } = key;
      const lane = laneOf(key);
      if (calling.size >= MAX_RUNS) break;
      if (calling.has(lane) || (pauses.get(keyId)?.until ?? 0) > now()) continue;
      calling.add(lane);
      void call(key)
        .catch((error: unknown) => logFailure(keyId, error))
        .finally(() => {
          calling.delete(lane);
          if (follower.state.keys.indexes.pending.has(keyId)) pause(keyId);
          else pauses.delete(keyId);
          check();
        });
    }
  }

  function pause(keyId: string): void {
    const length = pauses.get(keyId)?.next ?? FIRST_PAUSE_MS;
    pauses.set(keyId, { until: now() + length, next: Math.min(length * 2, MAX_PAUSE_MS) });
  }

  function logFailure(keyId: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ event: 'key_ceremony_failed', key_id: keyId, reason }, 'key ceremony failed');
  }

  /** A run called by party 1: the ledger says whether the key is really asked for. */
  async function join({ session, keyId, payload }: CeremonyMessage): Promise<void> {
    const isWanted = await follower.waitUntil(
      (state) => state.keys.indexes.pending.has(keyId),
      2_000,
    );
    if (!isWanted) throw new Error('a run for a key that the ledger does not ask for');
    await takePart(session, keyId, decodeRunStart(payload));
  }

  /** What is left of runs that did not make the key, and of keys that are no more. */
  function tidy(keyId: string, kind: EntryOutcome['kind']): void {
    const key = follower.state.keys.rows.get(keyId);
    const done =
      key?.status === 'active' && kind === 'attestation'
        ? deps.shares.deleteOtherSessions(keyId, key.session)
        : key?.status === 'failed' || key?.status === 'destroyed'
          ? deps.shares.deleteAll([keyId])
          : undefined;
    done?.catch((error: unknown) => logFailure(keyId, error));
  }

  /** Shares that should have gone while this party was away. */
  async function sweep(): Promise<void> {
    const gone = follower.state.keys.rows
      .valueSeq()
      .filter(({ status }) => status === 'failed' || status === 'destroyed')
      .map(({ id }) => id)
      .toArray();
    if (gone.length > 0) await deps.shares.deleteAll(gone);
  }

  const timer = setInterval(check, CHECK_MS);
  const sweeper = setInterval(
    () => void sweep().catch((error: unknown) => logFailure('', error)),
    SWEEP_MS,
  );
  check();
  sweep().catch((error: unknown) => logFailure('', error));

  return {
    receive(from, message) {
      if (from.party !== CALLER || self.party === CALLER) return;
      join(message).catch((error: unknown) => logFailure(message.keyId, error));
    },
    onOutcomes(outcomes) {
      for (const { kind, refusal, subject } of outcomes) {
        if (refusal !== undefined) continue;
        for (const keyId of subject?.keyIds ?? []) tidy(keyId, kind);
      }
      check();
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
      clearInterval(sweeper);
      for (const { controller } of runs.values()) controller.abort();
    },
  };
}
