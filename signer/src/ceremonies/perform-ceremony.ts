/** Chooses the ceremony that a key needs, and gives a key up after too many failures. */
import { parseBase64 } from '@countersign/core/bytes.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { RecipientStore } from '../imports/recipient-store.js';
import type { TrialCommitments } from '../signing/commitment-lender.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import type { CeremonyRun } from './ceremony-run.js';
import { runFrostCeremony } from './frost-ceremony.js';
import { runImport } from './import-ceremony.js';
import type { ProgressReporter } from './progress-reporter.js';
import { KeyRefusedError } from './key-refused-error.js';
import { isProtocolFault, runRsaCeremony } from './rsa-ceremony.js';
import { TrialFailedError } from './try-share.js';

/** Each run that a lying party spoils may tell it something: after this many the key is given up. */
const MAX_PROTOCOL_FAULTS = 5;
const MAX_FAILED_TRIALS = 2;
const SPOILED = 'the parties could not make the key together';
const UNFIT = 'the parts do not sign together';
const REBORN = 'it is, or was, another key of this vault';
const NO_PUBLIC_KEY = new Uint8Array();

export interface PerformerDeps {
  readonly genesisHash: string;
  readonly threads: ThreadPools;
  readonly lender: TrialCommitments;
  readonly recipients: RecipientStore;
  readonly kekFile: string;
  readonly cloudVariables: Readonly<Record<string, string>>;
  readonly generationThread: URL;
  readonly progress: ProgressReporter;
  /** Whether `publicKey` is or was another key's. */
  isAnothersKey(key: Key, publicKey: Uint8Array): boolean;
  /** Assigns a key made ahead; undefined when not all three parties have it. */
  assignStock(run: CeremonyRun, modulusBits: number): Promise<CompletedShare | undefined>;
}

export interface Performer {
  perform(run: CeremonyRun, key: Key): Promise<CompletedShare>;
  /** Makes a key for stock: no key of the ledger is waiting for it. */
  generateRsa(run: CeremonyRun, modulusBits: number): Promise<CompletedShare>;
}

export function createPerformer(deps: PerformerDeps): Performer {
  // they are counted as long as the process lives: a refusal that cannot be written is no reason for more runs
  const protocolFaults = new Map<string, number>();
  const failedTrials = new Map<string, number>();

  async function performRsa(run: CeremonyRun, modulusBits: number): Promise<CompletedShare> {
    if ((protocolFaults.get(run.keyId) ?? 0) >= MAX_PROTOCOL_FAULTS)
      throw new KeyRefusedError(SPOILED);
    try {
      const ready = run.stockId === '' ? undefined : await deps.assignStock(run, modulusBits);
      return ready ?? (await runRsaCeremony(deps, run, { modulusBits, sealedAs: 'key share' }));
    } catch (error) {
      if (!isProtocolFault(error)) throw error;
      const faults = (protocolFaults.get(run.keyId) ?? 0) + 1;
      protocolFaults.set(run.keyId, faults);
      throw faults < MAX_PROTOCOL_FAULTS ? error : new KeyRefusedError(SPOILED);
    }
  }

  /** A trial that fails twice, in runs with nothing in common, fails for good. */
  async function performImport(run: CeremonyRun, key: Key): Promise<CompletedShare> {
    if ((failedTrials.get(key.id) ?? 0) >= MAX_FAILED_TRIALS) throw new KeyRefusedError(UNFIT);
    // such a key could never be completed
    const stated = parseBase64(key.publicKey) ?? NO_PUBLIC_KEY;
    if (stated.length > 0 && deps.isAnothersKey(key, stated)) throw new KeyRefusedError(REBORN);
    try {
      return await runImport(deps, run, key);
    } catch (error) {
      if (!(error instanceof TrialFailedError)) throw error;
      const trials = (failedTrials.get(key.id) ?? 0) + 1;
      failedTrials.set(key.id, trials);
      throw trials < MAX_FAILED_TRIALS ? error : new KeyRefusedError(error.message);
    }
  }

  return {
    generateRsa: (run, modulusBits) =>
      runRsaCeremony(deps, run, { modulusBits, sealedAs: 'stock share' }),
    async perform(run, key) {
      if (key.status === 'importing') return performImport(run, key);
      return key.type === 'rsa'
        ? performRsa(run, key.modulusBits ?? 0)
        : runFrostCeremony(deps.threads, run);
    },
  };
}
