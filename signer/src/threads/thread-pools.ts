/** The signing threads of one process, as typed calls. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { FixedQueue, Piscina } from 'piscina';
import type { RoundTwoPackage } from './dkg-packages.js';
import { ownBytes, ownLeadItems, ownPartnerItems } from './own-memory.js';
import { createRsaTurns } from './rsa-turns.js';
import { splitByPool, type OfKey } from './split-by-pool.js';
import type {
  OwnDeal,
  ResharingFinishInput,
  ResharingRevealInput,
  ResharingTakeInput,
  TakenResult,
} from './resharing-tasks.js';
import { urgent, UrgentFirst } from './urgent-first.js';
import type {
  BeginResharingInput,
  DkgRound1Input,
  DkgRound2Input,
  DkgRound3Input,
  ThreadTask,
  ThreadTaskResults,
  ThreadData,
  CompletedShare,
  KekCheck,
  LeadItem,
  LeadResult,
  NewRecipient,
  NonceSlot,
  OpenImportInput,
  OpenImportResult,
  PartnerItem,
  PartnerResult,
  ResealInput,
  ResharedResult,
  ThreadIdentity,
  TrialLeadInput,
  TrialPartnerInput,
} from './thread-tasks.js';

const EXCHANGE_KEY_BYTES = 32;
/** `maxThreads` can ask for more on a host with more cores. */
const MOST_RSA_THREADS = 4;
/** The most items of a task: an urgent task waits for the running one, some milliseconds. */
const ITEMS_OF_A_FAST_TASK = 16;
/**
 * Tasks of one batch for each thread. With fewer, a thread is idle while others finish; with more, each wakes both
 * sides for less.
 */
const TASKS_OF_AN_RSA_THREAD = 2;

export interface ThreadPoolsOptions extends Omit<ThreadData, 'signsRsa'> {
  /** A signing thread's program. */
  readonly threadFile: URL;
  /** All that it is given of the process's environment: what leads to a cloud that opens the KEK. */
  readonly cloudVariables: Readonly<Record<string, string>>;
  /** Threads for signing. One by default: parties usually share a machine's cores with each other. */
  readonly maxThreads?: number;
}

/**
 * Pool `fast` is for FROST and HMAC, in parts of a batch. `slow` has exactly one thread, for what must not delay them:
 * imports, and key generation, whose rounds must all meet the same thread. `rsa` is for RSA signatures, which take
 * milliseconds each: a batch is divided to keep a thread on each core busy. `slow` starts later, as its self-tests and
 * start take as long as all the rest of a party's. `rsa` starts with the first signature, which `slow` makes.
 */
export interface ThreadPools extends ThreadIdentity {
  /** Fills nonce slots; returns their commitments, 64 bytes each, in order. Rejects for a serial that is not new. */
  commit(slots: readonly NonceSlot[]): Promise<Uint8Array>;
  /** One result per item, in order. */
  partner(items: readonly PartnerItem[]): Promise<PartnerResult[]>;
  /** One result per item, in order. */
  lead(items: readonly LeadItem[]): Promise<LeadResult[]>;
  /** Ed25519 signatures by the party's identity key, 64 bytes each. */
  signIdentity(messages: readonly Uint8Array[]): Promise<Uint8Array[]>;
  /** Opens the KEK anew, as the next start of this party would. */
  checkKek(): Promise<KekCheck>;
  /** This party's exchange key, 32 bytes, which the caller wipes: messages to other parties are made outside. */
  openExchangeKey(): Promise<Uint8Array>;
  /** Undefined when this party's part gives no contribution. Rejects when that cannot be told. */
  contributeToTrial(input: TrialPartnerInput): Promise<Uint8Array | undefined>;
  /** Whether the pair's trial signature verifies. Rejects when that cannot be told. */
  leadTrial(input: TrialLeadInput): Promise<boolean>;
  makeRecipient(recipientId: string): Promise<NewRecipient>;
  openImport(input: OpenImportInput): Promise<OpenImportResult>;
  /** Seals an RSA share made ahead for the key it becomes. Rejects when the share is not good for that. */
  reseal(input: ResealInput): Promise<CompletedShare>;
  /** Starts a key generation; returns the package to broadcast. */
  dkgRound1(input: DkgRound1Input): Promise<Uint8Array>;
  /**
   * Returns the secret packages, one for each other party. Encrypt them to their recipients at once and
   * drop them: whoever holds a party's sent and received packages can compute its share.
   */
  dkgRound2(input: DkgRound2Input): Promise<RoundTwoPackage[]>;
  /** Returns this party's sealed share. It must not be used until all parties' transcript hashes agree. */
  dkgRound3(input: DkgRound3Input): Promise<CompletedShare>;
  /** Returns a dealer's word, for both others. Rejects when a dealer's share does not open. */
  beginResharing(input: BeginResharingInput): Promise<Uint8Array | undefined>;
  /** Takes the others' words. Returns a dealer's deal, whose pieces are secret: see {@link dkgRound2}. */
  revealDeal(input: ResharingRevealInput): Promise<OwnDeal | undefined>;
  /** Returns what this party says to both others of its new share. */
  takeNewShare(input: ResharingTakeInput): Promise<TakenResult>;
  /** Returns this party's sealed share. It must not be used until all parties' transcript hashes agree. */
  finishResharing(input: ResharingFinishInput): Promise<ResharedResult>;
  /**
   * Starts the slow pool's thread, unless a task of that pool has done so. The thread reads the secrets and passes its
   * self-tests. If it cannot, this rejects, and so does every task of that pool, since each waits for it.
   */
  openSlow(): Promise<void>;
  /** Waits for running tasks, then ends the threads. */
  close(): Promise<void>;
}

export interface PoolFigures {
  readonly pool: 'fast' | 'slow' | 'rsa';
  readonly threads: number;
  /** Tasks that no thread has taken. */
  readonly waiting: number;
}

export interface OpenThreadPools extends ThreadPools {
  readonly figures: readonly PoolFigures[];
}

/**
 * Waits until each thread of the fast pool has read its secrets and passed its self-test. If one cannot, rejects and
 * leaves no thread behind.
 */
export async function openThreadPools(options: ThreadPoolsOptions): Promise<OpenThreadPools> {
  const { maxThreads = 1 } = options;
  const pools = startPools(options, maxThreads);
  try {
    const identity = (await identifyAll(pools.fast))[0]!;
    let opening: Promise<void> | undefined;
    const openSlow = () => (opening ??= requireSame(pools.slow, identity));
    const nextRsa = createRsaTurns(pools, () => requireSame(pools.rsa, identity));
    return {
      ...identity,
      ...tasksOf(pools, openSlow, nextRsa),
      openSlow,
      get figures() {
        return figuresOf(pools);
      },
    };
  } catch (error) {
    await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    throw error;
  }
}

function figuresOf(pools: Pools): PoolFigures[] {
  return (['fast', 'slow', 'rsa'] as const).map((pool) => {
    const { threads, queueSize: waiting } = pools[pool];
    return { pool, threads: threads.length, waiting };
  });
}

interface Pools {
  readonly fast: Piscina;
  readonly slow: Piscina;
  readonly rsa: Piscina;
}

function startPools(options: ThreadPoolsOptions, maxThreads: number): Pools {
  const { party, kekFile, identityFile, exchangeFile, nonceMemory } = options;
  const threadData = { party, kekFile, identityFile, exchangeFile, nonceMemory };
  const common = {
    filename: fileURLToPath(options.threadFile),
    env: options.cloudVariables,
    concurrentTasksPerWorker: 1,
    recordTiming: false,
  };
  const fast = new Piscina({
    ...common,
    workerData: { ...threadData, signsRsa: false } satisfies ThreadData,
    // Never fewer: a thread started under load would make its first batch wait for its self-test.
    minThreads: maxThreads,
    maxThreads,
    atomics: 'sync',
    taskQueue: new UrgentFirst(),
  });
  const later = {
    ...common,
    workerData: { ...threadData, signsRsa: true } satisfies ThreadData,
    // they start once they are wanted, and stay
    minThreads: 0,
    idleTimeout: Infinity,
    // Waiting on atomics would stop the timers that end an abandoned key generation.
    atomics: 'disabled',
  } as const;
  const rsaThreads = Math.max(maxThreads, Math.min(availableParallelism(), MOST_RSA_THREADS));
  const slow = new Piscina({ ...later, maxThreads: 1, taskQueue: new FixedQueue() });
  const rsa = new Piscina({ ...later, maxThreads: rsaThreads, taskQueue: new FixedQueue() });
  return { fast, slow, rsa };
}

/** Has each thread do its first task, which it does after its self-test. */
async function identifyAll(pool: Piscina): Promise<ThreadIdentity[]> {
  const warmUps = Array.from({ length: pool.maxThreads }, () => run(pool, { kind: 'identify' }));
  return (await Promise.all(warmUps)).map((answer) => {
    if ('unfit' in answer) throw new ConfigError(answer.unfit);
    return answer;
  });
}

/** Requires the same keys as the fast pool, whose threads read the files earlier. */
async function requireSame(
  pool: Piscina,
  { identityPublicKey, kekId }: ThreadIdentity,
): Promise<void> {
  const isSame = (own: ThreadIdentity) =>
    own.kekId === kekId && Buffer.from(own.identityPublicKey).equals(identityPublicKey);
  if ((await identifyAll(pool)).every(isSame)) return;
  throw new Error("the party's keys changed while it started");
}

async function openExchangeKey(fast: Piscina): Promise<Uint8Array> {
  const into = new SharedArrayBuffer(EXCHANGE_KEY_BYTES);
  await run(fast, { kind: 'open-exchange-key', into });
  const shared = new Uint8Array(into);
  const key = Uint8Array.from(shared);
  shared.fill(0);
  return key;
}

async function run<K extends ThreadTask['kind']>(
  pool: Piscina,
  task: Extract<ThreadTask, { kind: K }>,
): Promise<ThreadTaskResults[K]> {
  return (await pool.run(task)) as ThreadTaskResults[K];
}

/** Makes the tasks of both roles in a batch, for two pools. */
function batchTasksOf(
  { fast, rsa }: Pick<Pools, 'fast' | 'rsa'>,
  openSlow: () => Promise<void>,
  nextRsa: () => Piscina,
): Pick<ThreadPools, 'partner' | 'lead'> {
  const inTasks =
    <Item extends OfKey, Result>(taskOf: (part: readonly Item[]) => ThreadTask) =>
    (items: readonly Item[]): Promise<Result[]> =>
      splitByPool<Item, Result>(items, {
        fast: {
          tasksOf: (count) => Math.ceil(count / ITEMS_OF_A_FAST_TASK),
          run: (part) => fast.run(taskOf(part)) as Promise<Result[]>,
        },
        slow: {
          tasksOf: () => TASKS_OF_AN_RSA_THREAD * rsa.maxThreads,
          async run(part) {
            await openSlow();
            return nextRsa().run(taskOf(part)) as Promise<Result[]>;
          },
        },
      });
  return {
    partner: inTasks((part: readonly PartnerItem[]) => ({
      kind: 'partner',
      items: ownPartnerItems(part),
    })),
    lead: inTasks((part: readonly LeadItem[]) => ({ kind: 'lead', items: ownLeadItems(part) })),
  };
}

/** Makes each task a call to the pool it belongs to. */
function tasksOf(
  { fast, slow, rsa }: Pools,
  openSlow: () => Promise<void>,
  nextRsa: () => Piscina,
): Omit<ThreadPools, keyof ThreadIdentity | 'openSlow'> {
  const runSlow = async <K extends ThreadTask['kind']>(
    task: Extract<ThreadTask, { kind: K }>,
  ): Promise<ThreadTaskResults[K]> => {
    await openSlow();
    return run<K>(slow, task);
  };
  return {
    commit: (slots) => run(fast, { kind: 'commit', slots }),
    ...batchTasksOf({ fast, rsa }, openSlow, nextRsa),
    checkKek: () => runSlow({ kind: 'check-kek' }),
    openExchangeKey: () => openExchangeKey(fast),
    contributeToTrial: (input) => runSlow({ kind: 'trial-partner', ...input }),
    leadTrial: (input) => runSlow({ kind: 'trial-lead', ...input }),
    makeRecipient: (recipientId) => runSlow({ kind: 'make-recipient', recipientId }),
    openImport: (input) => runSlow({ kind: 'open-import', ...input }),
    reseal: (input) => runSlow({ kind: 'reseal', ...input }),
    signIdentity: (messages) =>
      run(fast, urgent({ kind: 'sign-identity', messages: messages.map(ownBytes) })),
    dkgRound1: (input) => runSlow({ kind: 'dkg-round1', ...input }),
    dkgRound2: (input) => runSlow({ kind: 'dkg-round2', ...input }),
    dkgRound3: (input) => runSlow({ kind: 'dkg-round3', ...input }),
    beginResharing: (input) => runSlow({ kind: 'begin-resharing', ...input }),
    revealDeal: (input) => runSlow({ kind: 'reveal-deal', ...input }),
    takeNewShare: (input) => runSlow({ kind: 'take-new-share', ...input }),
    finishResharing: (input) => runSlow({ kind: 'finish-resharing', ...input }),
    async close() {
      await Promise.all([fast.close(), slow.close(), rsa.close()]);
    },
  };
}
