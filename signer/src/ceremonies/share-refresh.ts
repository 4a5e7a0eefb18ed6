/**
 * Makes new shares of the keys that the ledger says wait for them. The first dealer calls the runs, one for each key,
 * and the two others join those that the ledger asks for. What a party holds it stores, and then says in the ledger.
 * Signatures go on with the old shares until all three parties have said so: a batch rests on one head, and the head
 * tells which shares count.
 */
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import { waitsForShares } from '@countersign/vault/state/share-refresh.js';
import type { Key, ShareRefresh as Refresh, VaultState } from '@countersign/vault/state/state.js';
import type { PartyMessage } from '../channel/messages.js';
import type { KeyLock } from '../party/key-lock.js';
import type { ShareStore } from '../records/share-store.js';
import { ResharingError } from '../threads/resharing-error.js';
import type { CompletedShare, StoredKey } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import type { CeremonyInboxes } from './ceremony-inbox.js';
import {
  callRun,
  createRunSender,
  decodeRunStart,
  type CeremonyRun,
  type RunCallerDeps,
  type RunStart,
} from './ceremony-run.js';
import type { RefreshStatements } from './refresh-statements.js';
import type { WantedShares } from './reshare-ceremony.js';
import { KeyRests } from './key-rests.js';
import { StartPace } from './start-pace.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

export const REFRESH_START = 'refresh start';
const REFRESH_LANE = 'share refresh';
const CHECK_MS = 1_000;
const MAX_RUNS = 8;
/** How long to wait for the ledger to show the refresh that a run belongs to. */
const KEY_WAIT_MS = 2_000;

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface ShareRefreshDeps extends RunCallerDeps {
  readonly follower: LedgerFollower;
  readonly shares: Pick<ShareStore, 'load' | 'insert'>;
  readonly lock: KeyLock;
  readonly inboxes: CeremonyInboxes;
  readonly statements: RefreshStatements;
  readonly threads: Pick<ThreadPools, 'kekId'>;
  readonly logger: Logger;
  readonly alarms: Alarms;
  readonly now: () => number;
  reshare(run: CeremonyRun, wanted: WantedShares): Promise<CompletedShare>;
}

export interface ShareRefresh {
  /** Takes a message with the tag `REFRESH_START`. */
  receive(from: Replica, message: CeremonyMessage): void;
  /** Begins what the ledger asks for and is not begun. It also looks once a second by itself. */
  look(): void;
  stop(): void;
}

export function openShareRefresh(deps: ShareRefreshDeps): ShareRefresh {
  const { self, follower, now } = deps;
  const calls = new Set<string>();
  const rests = new KeyRests();
  const pace = new StartPace();
  const ending = new AbortController();
  const failed = failureLog(deps);

  function look(): void {
    const { state } = follower;
    if (ending.signal.aborted || state.refresh?.dealers[0] !== self.party) return;
    rests.beginIn(state.refresh.number);
    for (const key of dueKeys(state, (id) => calls.has(id) || rests.isResting(id, now()))) {
      if (calls.size >= MAX_RUNS) return;
      calls.add(key.id);
      void callOne(deps, key, ending.signal)
        .catch((error: unknown) => failed(key.id)(error))
        .then((hasRun) => {
          calls.delete(key.id);
          if (hasRun === false) rests.wait(key.id, CHECK_MS, now());
          else rests.rest(key.id, now());
          look();
        });
    }
  }

  const ticks = openTicks(CHECK_MS, look);
  return {
    receive(from, message) {
      if (from.party === self.party || !pace.begin(message.keyId, now())) return;
      joinOne(deps, from, message, ending.signal)
        .catch(failed(message.keyId))
        .finally(() => pace.end());
    },
    look,
    stop() {
      ticks.stop();
      ending.abort();
      deps.statements.stop();
    },
  };
}

function* dueKeys(state: VaultState, isBusy: (keyId: string) => boolean): Generator<Key> {
  for (const id of state.keysToRefresh ?? []) {
    if (!isBusy(id) && waitsForShares(state, id)) yield state.keys.rows.get(id)!;
  }
}

/** False where there was no run, because a party is away. */
async function callOne(deps: ShareRefreshDeps, key: Key, signal: AbortSignal): Promise<boolean> {
  if (!(await deps.lock.acquire(REFRESH_LANE))) return false; // another replica of this party is at it
  try {
    const { refresh } = deps.follower.state;
    const asked = { keyId: key.id, stockId: '', refresh: refresh?.number ?? 0 };
    const run = await callRun(deps, { tag: REFRESH_START, ...asked });
    if (run === undefined) return false;
    await takePart(deps, { ...run, keyId: key.id, signal });
    return true;
  } finally {
    await deps.lock.release(REFRESH_LANE);
  }
}

/** Joins a run of the first dealer: the ledger says whether the key really waits for new shares. */
async function joinOne(
  deps: ShareRefreshDeps,
  from: Replica,
  { session, keyId, payload }: CeremonyMessage,
  signal: AbortSignal,
): Promise<void> {
  const start = decodeRunStart(payload);
  const isWanted = await deps.follower.waitUntil(
    (state) =>
      waitsForShares(state, keyId) &&
      state.refresh?.dealers[0] === from.party &&
      state.refresh.number >= start.refresh,
    KEY_WAIT_MS,
  );
  if (!isWanted) throw new Error('a run for a key that waits for no new shares');
  await takePart(deps, { session, start, keyId, signal });
}

interface NewRun {
  readonly session: string;
  readonly start: RunStart;
  readonly keyId: string;
  readonly signal: AbortSignal;
}

async function takePart(
  deps: ShareRefreshDeps,
  { session, start, keyId, signal }: NewRun,
): Promise<void> {
  const { self, follower, inboxes, statements } = deps;
  const { refresh, keys } = follower.state;
  const key = keys.rows.get(keyId);
  if (refresh === undefined || key === undefined) throw new Error('no such key waits for shares');
  // parties that deal for different refreshes would each take the other for a liar
  if (refresh.number !== start.refresh) throw new Error('the run is of another refresh');
  const { replicas, stockId } = start;
  const run = { session, keyId, replicas };
  try {
    const share = await deps.reshare(
      {
        ...run,
        ...{ self, stockId, signal },
        inbox: inboxes.open(session),
        send: createRunSender(run, deps.send),
      },
      await wantedShares(deps, key, refresh),
    );
    const { state } = follower;
    if (state.refresh?.number !== refresh.number || !waitsForShares(state, keyId)) return;
    // stored before it is stated: a key goes over to new shares when all three are there
    await keep(deps, key, { session, share, version: versionOf(refresh) });
    statements.add(refresh.number, { keyId, session, transcriptHash: share.transcriptHash });
  } finally {
    inboxes.drop(session);
  }
}

/** Generated and imported shares are of version 1. */
function versionOf({ number }: Refresh): number {
  return number + 1;
}

async function wantedShares(
  { self, shares }: Pick<ShareRefreshDeps, 'self' | 'shares'>,
  key: Key,
  refresh: Refresh,
): Promise<WantedShares> {
  const { dealers } = refresh;
  const wanted = { key, dealers, version: versionOf(refresh) };
  if (!dealers.includes(self.party)) return { ...wanted, old: undefined };
  const stored = (await shares.load([{ keyId: key.id, session: key.session }])).get(key.id);
  if (stored === undefined) {
    throw new Error(
      'this party deals, and lacks the old share: restore its backup, or have this party replaced',
    );
  }
  const { version, wrappedDek, sealed } = stored;
  const publicKey = parseBase64(key.publicKey)!;
  const old: StoredKey = { keyId: key.id, version, type: key.type, wrappedDek, sealed, publicKey };
  return { ...wanted, old };
}

interface KeptShare {
  readonly session: string;
  readonly share: CompletedShare;
  readonly version: number;
}

async function keep(
  { shares, threads, now }: Pick<ShareRefreshDeps, 'shares' | 'threads' | 'now'>,
  key: Key,
  { session, share, version }: KeptShare,
): Promise<void> {
  await shares.insert({
    keyId: key.id,
    session,
    scheme: share.scheme,
    version,
    kekId: threads.kekId,
    wrappedDek: Buffer.from(share.wrappedDek),
    sealed: Buffer.from(share.sealed),
    createdAt: now(),
  });
}

function failureLog({ logger, alarms }: Pick<ShareRefreshDeps, 'logger' | 'alarms'>) {
  return (keyId: string) => (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof ResharingError) {
      alarms.raise({
        kind: 'party_misbehaved',
        ...(error.party !== undefined && { party: error.party }),
        reason: `spoiled new shares of key ${keyId}: ${reason}`,
      });
    }
    logger.warn({ event: 'share_refresh_failed', key_id: keyId, reason }, 'no new shares');
  };
}
