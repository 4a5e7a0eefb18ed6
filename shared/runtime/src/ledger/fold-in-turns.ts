/**
 * Folds pages of the ledger without holding the event loop. Of a long page, the words of what comes later are verified
 * in a thread while what comes first is folded: on a machine with a second core a restart waits for about half of it.
 */
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import {
  createVerifiedWords,
  type VerifiedWords,
  type VerifySignature,
  type WordSigners,
} from '@countersign/vault/ledger/verified-words.js';

/** A long catch-up must not hold the event loop: time-outs and callers wait behind it. */
const ENTRIES_PER_TURN = 20;
/** For less no thread is started. */
const WORTH_A_THREAD = 200;
const THREAD = new URL('./word-thread.js', import.meta.url);

export interface TurnedFold {
  /** Whose words the page has; without a genesis hash as long as none was folded. */
  readonly signers: WordSigners;
  fold(rows: readonly EntryRow[], verify: VerifySignature): void;
}

export interface FoldInTurns {
  /** One page after the other; rejects with what `fold` throws. */
  fold(rows: readonly EntryRow[], into: TurnedFold): Promise<void>;
  /** Ends the thread; one is started again for the next long page. */
  rest(): Promise<void>;
}

export interface FoldInTurnsOptions {
  readonly thread?: URL;
  /** A thread that cannot be had costs time alone. */
  onFailure?(error: Error): void;
}

export function createFoldInTurns(options: FoldInTurnsOptions = {}): FoldInTurns {
  let thread: WordThread | undefined;

  /** Has the words of these turns verified, each by the time that it is folded. */
  function sendAhead(
    turns: readonly (readonly EntryRow[])[],
    signers: WordSigners,
    words: VerifiedWords,
  ): void {
    thread ??= startThread(signers, options);
    thread.onVerified = (fingerprints) => words.note(fingerprints);
    for (const turn of turns) thread.send(turn.map(({ body }) => body));
  }

  return {
    async fold(rows, into) {
      const words = createVerifiedWords();
      let isAhead = rows.length < WORTH_A_THREAD;
      const turns = turnsOf(rows);
      for (const [index, turn] of turns.entries()) {
        // whose words they are is not known before the genesis is folded
        if (!isAhead && into.signers.genesisHash !== '') {
          sendAhead(turns.slice(index + 1), into.signers, words);
          isAhead = true;
        }
        // what the thread has said by now is heard here
        if (index > 0) await setImmediate();
        into.fold(turn, words.verify);
      }
    },
    async rest() {
      const ended = thread;
      thread = undefined;
      await ended?.end();
    },
  };
}

function turnsOf(rows: readonly EntryRow[]): (readonly EntryRow[])[] {
  return Array.from({ length: Math.ceil(rows.length / ENTRIES_PER_TURN) }, (_, turn) =>
    rows.slice(turn * ENTRIES_PER_TURN, (turn + 1) * ENTRIES_PER_TURN),
  );
}

interface WordThread {
  onVerified: (fingerprints: Uint8Array) => void;
  send(bodies: readonly Uint8Array[]): void;
  end(): Promise<unknown>;
}

function startThread(
  { parties, genesisHash }: WordSigners,
  { thread = THREAD, onFailure = () => undefined }: FoldInTurnsOptions,
): WordThread {
  // what it needs of this process is given to it, and nothing else
  const worker = new Worker(thread, {
    workerData: { parties, genesisHash } satisfies WordSigners,
    env: {},
  });
  worker.unref();
  worker.on('error', onFailure);
  const words: WordThread = {
    onVerified: () => undefined,
    send: (bodies) => worker.postMessage(bodies),
    end: () => worker.terminate(),
  };
  worker.on('message', (fingerprints: Uint8Array) => words.onVerified(fingerprints));
  return words;
}
