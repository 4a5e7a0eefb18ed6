/** Runs one RSA key generation in a thread of its own, as the process that starts it sees it. */
import { Worker } from 'node:worker_threads';
import type { PartyNumber } from '@countersign/core/parties.js';
import { RsaGenerationError } from './generation-error.js';
import type {
  FromGenerationThread,
  GeneratedRsaKey,
  GenerationThreadData,
  ToGenerationThread,
} from './generation-messages.js';
import type { GenerationProgress } from './generation-messages.js';

export interface GenerationThreadOptions extends GenerationThreadData {
  /** The thread's program. */
  readonly threadFile: URL;
  /** All that it is given of the process's environment: what leads to a cloud that opens the KEK. */
  readonly cloudVariables: Readonly<Record<string, string>>;
  /**
   * Sends a message to another party, under a tag that occurs once. It must reach that party's `deliver` with this
   * party as its authenticated sender. Broadcasts are not encrypted, and need not be.
   */
  readonly onSend: (to: PartyNumber, tag: string, bytes: Uint8Array) => void;
  readonly onProgress?: (progress: GenerationProgress) => void;
}

export interface GenerationThread {
  /** Takes a message of another party; has no effect once the run is over. */
  deliver(from: PartyNumber, tag: string, bytes: Uint8Array): void;
  /**
   * Resolves with this party's sealed share when the run ends well. Otherwise rejects with `RsaGenerationError`, or
   * with the error of the thread when that is the reason.
   */
  readonly result: Promise<GeneratedRsaKey>;
  /**
   * Ends the run, and the thread with all it holds; `result` rejects with `stopped`. Callers use it when a run takes
   * too long: a thread waits for messages without a limit of its own.
   */
  stop(): Promise<void>;
}

/** The caller still owns `pairKeys` and wipes them when this returns: the thread has its own copy. */
export function startRsaGenerationThread(options: GenerationThreadOptions): GenerationThread {
  const { threadFile, cloudVariables: env, onSend, onProgress, ...data } = options;
  const worker = new Worker(threadFile, { workerData: threadData(data), env });
  let isOver = false;

  const result = new Promise<GeneratedRsaKey>((resolve, reject) => {
    worker.on('message', (message: FromGenerationThread) => {
      switch (message.kind) {
        case 'send':
          onSend(message.to, message.tag, message.bytes);
          return;
        case 'progress':
          onProgress?.({ tried: message.tried, expected: message.expected });
          return;
        case 'done':
          resolve(message.key);
          return;
        case 'failed':
          reject(errorOf(message));
      }
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      isOver = true;
      // this has no effect when the thread had said how it ended
      reject(new RsaGenerationError('stopped', 'the thread ended'));
    });
  });

  return {
    result,
    deliver(from, tag, bytes) {
      if (isOver) return;
      const message: ToGenerationThread = {
        kind: 'message',
        from,
        tag,
        bytes: Uint8Array.from(bytes),
      };
      worker.postMessage(message);
    },
    async stop() {
      await worker.terminate();
    },
  };
}

/** Copies known fields only: structured cloning would copy whatever else an object carries. */
function threadData(options: GenerationThreadData): GenerationThreadData {
  const { party, modulusBits, runId, pairKeys, kekFile, version, candidateLimit } = options;
  const { sealedAs, keyId } = options;
  return {
    party,
    modulusBits,
    runId,
    pairKeys: { own: Uint8Array.from(pairKeys.own), next: Uint8Array.from(pairKeys.next) },
    kekFile,
    sealedAs,
    keyId,
    version,
    ...(candidateLimit !== undefined && { candidateLimit }),
  };
}

function errorOf(failure: Extract<FromGenerationThread, { kind: 'failed' }>): Error {
  const { code, detail, party } = failure;
  return code === 'fault'
    ? new Error(`RSA key generation: ${detail}`)
    : new RsaGenerationError(code, detail, party === undefined ? {} : { party });
}
