/**
 * One replica of one signer party. It dials out to PostgreSQL and Redis. It listens on nothing, except for metrics
 * where its operator wants them.
 */
import { setTimeout } from 'node:timers/promises';
import type { PartyNumber } from '@countersign/core/parties.js';
import { isRefreshing } from '@countersign/vault/state/share-refresh.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openMetrics } from '@countersign/runtime/metrics/metrics-server.js';
import { openProcessLife, type ProcessLife } from '@countersign/runtime/process/process-life.js';
import { openTracing } from '@countersign/runtime/tracing/tracing.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import {
  connectParties,
  openAnchors,
  openLedger,
  openOwnThreads,
  openTrust,
  type PartyConnections,
  type PartyGround,
  type PartyProcess,
} from './open-party.js';
import { openWorkerRedis } from './channel/open-redis.js';
import { openPrices, openRequestMemory, openSigning, startListening } from './open-signing.js';
import { openKeyWork, type KeyWork } from './open-key-work.js';
import { HeardReplicas } from './party/heard-replicas.js';
import { openKekWatch, type KekWatch } from './party/kek-watch.js';
import type { HeadTrust } from './party/head-trust.js';
import { openOwnPresence, type OwnPresence, type Standing } from './party/own-presence.js';
import { createReplicaLease, type ReplicaLease } from './party/replica-lease.js';
import { untilTaken } from './requests/taken-until.js';
import type { ThreadPools } from './threads/thread-pools.js';
import { signerMetrics } from './signer-metrics.js';
import { openWorkJobs } from './work-jobs.js';
import { readConfig } from '@countersign/runtime/process/config.js';
import { cloudVariables } from '@countersign/runtime/settings/kek-settings.js';
import { signerVariables, type SignerConfig } from '@countersign/runtime/settings/signer-config.js';

const STOP_WITHIN_MS = 10_000;
/**
 * No FROST or HMAC signature waits for that thread, and whatever does has it started at once. It takes a fifth of a
 * start's processor time, which the parties that start beside this one need sooner.
 */
const SLOW_THREAD_AFTER_MS = 30_000;

type Environment = Readonly<Record<string, string | undefined>>;

const THREAD_FILES = {
  signing: new URL('./secrets/signing-thread/signing-thread.js', import.meta.url),
  generation: new URL('./secrets/rsa-generation/generation-thread.js', import.meta.url),
};

async function main(config: SignerConfig, given: Environment): Promise<void> {
  const logger = createLogger(`party_${config.PARTY}`, config.LOG_LEVEL);
  const life = openProcessLife(logger, STOP_WITHIN_MS);
  const tracing = await openTracing(config, `countersign-party-${config.PARTY}`, { logger, life });
  const own: PartyProcess = {
    ...{ config, logger, life, tracing },
    ...{ now: Date.now, elapsed: () => performance.now() },
    ...{ threadFiles: THREAD_FILES, cloudVariables: cloudVariables(given) },
  };

  const ground = await openLedger(own);
  const { lease, isNamed } = takeName(own, ground);
  const threads = await openOwnThreads(own, ground);
  await openAnchors(own, ground, threads);
  const connections = await connectParties(own, ground, threads);
  const presence = openPresence(own, { ...ground, ...connections, threads });
  const trust = openTrust(own, { ...ground, ...connections, threads, presence });
  // only one process may use what a folder keeps of the requests that were taken
  await isNamed;
  const memory = await openRequestMemory(own, ground);
  const { requests, diskTrouble } = memory;
  const prices = await openPrices(own, connections);
  const deps = { ...ground, ...connections, ...trust, ...memory, threads, prices };
  const signing = openSigning(own, deps);
  const keyWork = openKeyWork({
    ...own,
    ...ground,
    ...connections,
    threads,
    presence,
    kekFile: ground.files.kek,
    shares: signing.context.shares,
    lender: signing.lender.trials,
    isSigning: signing.recent.isSigning,
  });
  life.onStop(() => keyWork.stop());

  await startListening(own, { ...deps, ...signing, keyWork, presence });
  wakeByJobs(own, ground, keyWork);
  const numbers = { ...own, ...deps, ...trust, ...signing, threads, kek: watchKek(own, threads) };
  await openMetrics(config, own, signerMetrics({ ...numbers, recordedAlarms: ground.alarms }));
  const { party, name } = ground.self;
  const facts = { ...ground, ...trust, diskTrouble, lease };
  const waits = () => own.now() < requests.takesFrom || lacksShares(ground.follower.state, party);
  await presence.announce(() => standingOf({ ...facts, waits }));
  await waitUntilTaken(own, requests);
  if (life.isStopping) return;
  logger.info({ event: 'ready', party, replica: name }, 'signer ready');
  process.send?.({ event: 'ready' });
  await openSlowThread(threads, life);
}

function openPresence(
  { life, now, elapsed }: PartyProcess,
  deps: PartyGround & PartyConnections & { readonly threads: ThreadPools },
): OwnPresence {
  const { channel, threads, follower } = deps;
  const heard = new HeardReplicas();
  channel.onMessage((from) => heard.note(from));
  const presence = openOwnPresence({
    ...deps,
    now,
    elapsed,
    genesisHash: follower.state.genesisHash,
    sign: async (message) => (await threads.signIdentity([message]))[0]!,
    isHeard: (replica) => heard.has(replica),
  });
  life.onStop(() => presence.stop());
  return presence;
}

/** A party that was restored waits for minutes: its operator reads for how long. */
function waitUntilTaken({ logger, now }: PartyProcess, requests: { readonly takesFrom: number }) {
  return untilTaken(requests.takesFrom, now, (waitMs) =>
    logger.info(
      { event: 'waits_for_new_requests', duration_ms: waitMs },
      'requests before this moment are not taken',
    ),
  );
}

/** A job only wakes this replica, which looks in the ledger. */
function wakeByJobs(own: PartyProcess, ground: PartyGround, keyWork: Pick<KeyWork, 'look'>): void {
  const redis = openWorkerRedis(own.config.REDIS_URL);
  const jobs = openWorkJobs({ ...own, ...ground, redis, lookForKeys: keyWork.look });
  own.life.onStop(() => jobs.close());
}

interface StandingFacts {
  readonly follower: Pick<LedgerFollower, 'fault' | 'pinTrouble'>;
  readonly trust: Pick<HeadTrust, 'isFresh'>;
  readonly lease: Pick<ReplicaLease, 'canWrite'>;
  diskTrouble(): string | undefined;
  /** Whether this replica began anew, and does not sign yet. */
  waits(): boolean;
}

/** Whether the party is the successor of a lost one, and keys still wait for its shares. */
function lacksShares(state: VaultState, party: PartyNumber): boolean {
  return state.refresh?.successor === party && isRefreshing(state);
}

function standingOf({ follower, trust, lease, diskTrouble, waits }: StandingFacts): Standing {
  if (follower.fault !== undefined) return 'silent';
  if (follower.pinTrouble !== undefined || diskTrouble() !== undefined) return 'cannot_pin';
  // a replica that cannot record anything would take requests and sign none
  if (!lease.canWrite) return 'cannot_record';
  if (!trust.isFresh) return 'silent';
  return waits() ? 'waits' : 'fit';
}

function watchKek({ logger, life }: PartyProcess, threads: ThreadPools): KekWatch {
  const watch = openKekWatch(threads, logger);
  life.onStop(() => watch.stop());
  return watch;
}

/** Takes the name while the rest opens: if the process before was killed, its name is free only seconds later. */
function takeName(own: PartyProcess, ground: PartyGround) {
  const lease = createReplicaLease({
    ...{ ...own, ...ground, pool: ground.recordPool },
    // one that is set would say nothing of commits
    now: own.elapsed,
  });
  own.life.onStop(() => lease.stop());
  const isNamed = lease.take();
  isNamed.catch(() => undefined);
  return { lease, isNamed };
}

/** If that thread cannot start, the party ends, like one that cannot start. */
async function openSlowThread(threads: ThreadPools, life: ProcessLife): Promise<void> {
  await setTimeout(SLOW_THREAD_AFTER_MS, undefined, { ref: false });
  if (life.isStopping) return;
  await threads.openSlow().catch((error: unknown) => {
    if (!life.isStopping) throw error;
  });
}

void runProgram('signer', process.env, (environment) =>
  main(readConfig(signerVariables, environment), environment),
);
