/** Performs the runs that this replica takes part in, from the first message to what the party says of the key. */
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { PartyMessage } from '../channel/messages.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { laneOf } from './call-schedule.js';
import type { CeremonyInboxes } from './ceremony-inbox.js';
import { createRunSender, type CeremonyRun, type RunStart } from './ceremony-run.js';
import type { KeyAttester } from './key-attester.js';
import { KeyRefusedError } from './key-refused-error.js';

export interface KeyRunsDeps {
  readonly self: Replica;
  readonly follower: Pick<LedgerFollower, 'state'>;
  readonly inboxes: CeremonyInboxes;
  readonly attester: KeyAttester;
  send(to: Replica, message: PartyMessage): Promise<void>;
  /** Takes part in a run to its end. Throws `KeyRefusedError` when the key can never be. */
  perform(run: CeremonyRun, key: Key): Promise<CompletedShare>;
}

export interface KeyRuns {
  /** Ends the run that is under way in the key's lane. Rejects when this run failed. */
  take(session: string, keyId: string, start: RunStart): Promise<void>;
  /** Ends every run. */
  stop(): void;
}

interface OwnRun {
  readonly key: Key;
  readonly controller: AbortController;
}

export function createKeyRuns(deps: KeyRunsDeps): KeyRuns {
  const { follower, inboxes } = deps;
  /** By key id. */
  const runs = new Map<string, OwnRun>();

  return {
    async take(session, keyId, start) {
      const key = requirePendingKey(follower, keyId);
      // a run is over once its caller has begun another in its lane
      for (const run of runs.values()) {
        if (laneOf(run.key) === laneOf(key)) run.controller.abort();
      }
      const controller = new AbortController();
      runs.set(keyId, { key, controller });
      try {
        await makeKey(deps, key, { session, start, signal: controller.signal });
      } catch (error) {
        if (error instanceof KeyRefusedError) await deps.attester.refuse(key, error.message);
        throw error;
      } finally {
        inboxes.drop(session);
        controller.abort();
        if (runs.get(keyId)?.controller === controller) runs.delete(keyId);
      }
    },
    stop() {
      for (const { controller } of runs.values()) controller.abort();
    },
  };
}

function requirePendingKey({ state }: KeyRunsDeps['follower'], keyId: string): Key {
  const key = state.keys.rows.get(keyId);
  if (key === undefined || !state.keys.indexes.pending.has(keyId)) {
    throw new Error('no such key is to be completed');
  }
  return key;
}

interface NewRun {
  readonly session: string;
  readonly start: RunStart;
  readonly signal: AbortSignal;
}

async function makeKey(
  { self, follower, inboxes, attester, send, perform }: KeyRunsDeps,
  key: Key,
  { session, start, signal }: NewRun,
): Promise<void> {
  const { replicas, stockId } = start;
  const run = { session, keyId: key.id, replicas };
  const share = await perform(
    {
      ...run,
      self,
      stockId,
      inbox: inboxes.open(session),
      signal,
      send: createRunSender(run, send),
    },
    key,
  );
  if (!follower.state.keys.indexes.pending.has(key.id))
    throw new Error('the key was given up meanwhile');
  // stored before it is attested: an active key has three good shares
  await attester.keep(session, key, share);
  await attester.attest(session, key, share);
}
