/** The signing threads of one process, as typed calls. */
import { fileURLToPath } from 'node:url';
import { FixedQueue, Piscina } from 'piscina';
import type { RoundTwoPackage } from '../frost/dkg.js';
import type {
  DkgRound1Input,
  DkgRound2Input,
  DkgRound3Input,
  FrostTask,
  FrostTaskResults,
  FrostThreadData,
  GeneratedFrostKey,
  LeadItem,
  LeadResult,
  NonceSlot,
  PartnerItem,
  PartnerResult,
  ThreadIdentity,
} from './frost-tasks.js';

export interface ThreadPoolsOptions extends FrostThreadData {
  /** Threads for signing. One by default: parties usually share a machine's cores with each other. */
  readonly maxThreads?: number;
}

/**
 * Two pools: `fast` for signing, in batches of up to 32; `slow`, with exactly one thread, for key
 * generation, whose rounds must all meet the same thread and must not sit before a signature.
 */
export interface ThreadPools extends ThreadIdentity {
  /** Fills nonce slots; returns their commitments packed, 64 bytes each, in order. Rejects for a serial that is not new. */
  commit(slots: readonly NonceSlot[]): Promise<Uint8Array>;
  /** One result per item, in order. */
  partner(items: readonly PartnerItem[]): Promise<PartnerResult[]>;
  /** One result per item, in order. */
  lead(items: readonly LeadItem[]): Promise<LeadResult[]>;
  /** Ed25519 signatures by the party's identity key, 64 bytes each. */
  signIdentity(messages: readonly Uint8Array[]): Promise<Uint8Array[]>;
  /** Starts a key generation; returns the package to broadcast. */
  dkgRound1(input: DkgRound1Input): Promise<Uint8Array>;
  /**
   * Returns the secret packages, one for each other party. Encrypt them to their recipients at once and
   * drop them: whoever holds a party's sent and received packages can compute its share.
   */
  dkgRound2(input: DkgRound2Input): Promise<RoundTwoPackage[]>;
  /** Returns this party's sealed share. Unused until all parties' transcript hashes agree. */
  dkgRound3(input: DkgRound3Input): Promise<GeneratedFrostKey>;
  /** Waits for running tasks, then ends the threads. */
  close(): Promise<void>;
}

const WORKER_FILE = new URL('./frost-thread.js', import.meta.url);

/**
 * Starts both pools and waits until a thread of each has read its secrets and passed its self-test.
 * Rejects, with no thread left behind, when one cannot.
 */
export async function openThreadPools(options: ThreadPoolsOptions): Promise<ThreadPools> {
  const { maxThreads = 1, party, kekFile, identitySeedFile, nonceMemory } = options;
  const threadData: FrostThreadData = { party, kekFile, identitySeedFile, nonceMemory };
  const common = {
    filename: fileURLToPath(WORKER_FILE),
    // A signing thread needs no setting and no credential of the process.
    env: {},
    workerData: threadData,
    concurrentTasksPerWorker: 1,
    recordTiming: false,
  };
  const fast = new Piscina({
    ...common,
    // Never fewer: a thread started under load would make its first batch wait for its self-test.
    minThreads: maxThreads,
    maxThreads,
    atomics: 'sync',
    taskQueue: new FixedQueue(),
  });
  // Waiting on atomics would stop the timers that end an abandoned key generation.
  const slow = new Piscina({
    ...common,
    minThreads: 1,
    maxThreads: 1,
    atomics: 'disabled',
    taskQueue: new FixedQueue(),
  });

  async function run<K extends FrostTask['kind']>(
    pool: Piscina,
    task: Extract<FrostTask, { kind: K }>,
  ): Promise<FrostTaskResults[K]> {
    return (await pool.run(task)) as FrostTaskResults[K];
  }

  async function close(): Promise<void> {
    await Promise.all([fast.close(), slow.close()]);
  }

  let identity: ThreadIdentity;
  try {
    const warmUps = Array.from({ length: maxThreads }, () => run(fast, { kind: 'identify' }));
    [identity] = await Promise.all([run(slow, { kind: 'identify' }), ...warmUps]);
  } catch (error) {
    await Promise.all([fast.destroy(), slow.destroy()]);
    throw error;
  }

  return {
    ...identity,
    commit: (slots) => run(fast, { kind: 'commit', slots }),
    partner: (items) => run(fast, { kind: 'partner', items: items.map(ownPartnerItem) }),
    lead: (items) => run(fast, { kind: 'lead', items: items.map(ownLeadItem) }),
    signIdentity: (messages) =>
      run(fast, { kind: 'sign-identity', messages: messages.map(ownBytes) }),
    dkgRound1: (input) => run(slow, { kind: 'dkg-round1', ...input }),
    dkgRound2: (input) => run(slow, { kind: 'dkg-round2', ...input }),
    dkgRound3: (input) => run(slow, { kind: 'dkg-round3', ...input }),
    close,
  };
}

/**
 * A view with memory of its own. Posting a view posts all the memory behind it: for bytes read from a
 * socket that is a 64 KiB slab, holding whatever else was read.
 */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

function ownSigningItem<T extends PartnerItem | LeadItem>(item: T): T {
  const { evidence, key } = item;
  return {
    ...item,
    evidence: {
      digest: ownBytes(evidence.digest),
      assertion: ownBytes(evidence.assertion),
      callerPublicKey: ownBytes(evidence.callerPublicKey),
    },
    key: {
      keyId: key.keyId,
      version: key.version,
      wrappedDek: ownBytes(key.wrappedDek),
      sealed: ownBytes(key.sealed),
      groupPublicKey: ownBytes(key.groupPublicKey),
    },
    message: ownBytes(item.message),
  };
}

function ownPartnerItem(item: PartnerItem): PartnerItem {
  return {
    ...ownSigningItem(item),
    leadCommitment: ownBytes(item.leadCommitment),
    ...(item.receiptBytes !== undefined && { receiptBytes: ownBytes(item.receiptBytes) }),
  };
}

function ownLeadItem(item: LeadItem): LeadItem {
  return {
    ...ownSigningItem(item),
    partnerCommitment: ownBytes(item.partnerCommitment),
    partnerShare: ownBytes(item.partnerShare),
    receiptBytes: ownBytes(item.receiptBytes),
    partnerReceiptSignature: ownBytes(item.partnerReceiptSignature),
    partnerIdentityKey: ownBytes(item.partnerIdentityKey),
  };
}
