/**
 * A node's memory of the ledger outside the database: the highest head that it has relied on. So a database that was
 * rolled back, or that shows two nodes different logs, is noticed and refused.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replaceDurably } from '../process/replace-durably.js';

const pinSchema = z.strictObject({
  genesis_hash: z.hex().length(64),
  seq: z.int().positive(),
  hash: z.hex().length(64),
});

export interface LedgerPin {
  /** Hex. */
  readonly genesisHash: string;
  readonly seq: number;
  /** Of entry `seq`, hex. */
  readonly hash: string;
}

/** Another process pins into the same file: the two would speak for one party about two logs. */
export class AnotherPinsError extends Error {
  constructor(path: string) {
    super(`${path}: another process pins here`);
  }
}

export interface PinFile {
  /** Undefined if nothing was pinned yet. Throws on a file that cannot be read, and never overwrites it. */
  read(): Promise<LedgerPin | undefined>;
  /** Resolves once the pin would survive a loss of power. Throws AnotherPinsError if another process wrote the file. */
  write(pin: LedgerPin): Promise<void>;
}

/** One process alone owns a pin file, from its `read` on. */
export function openPinFile(path: string): PinFile {
  let known: string | undefined;
  /** The text that a failed write may have left there all the same. */
  let doubtful: string | undefined;

  /** Reads synchronously: it is a few bytes, and a pin must not wait for the event loop as well as for the disk. */
  function current(): string | undefined {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  return {
    async read() {
      const text = current();
      const pin = text === undefined ? undefined : parsePin(path, text);
      // set only now: a file that is no pin stays unknown, so that nothing is written over it
      known = text;
      return pin;
    },
    async write(pin) {
      const there = current();
      if (there !== known && (there !== doubtful || doubtful === undefined)) {
        throw new AnotherPinsError(path);
      }
      known = there;
      doubtful = printPin(pin);
      await replaceDurably(path, doubtful);
      known = doubtful;
    },
  };
}

function parsePin(path: string, text: string): LedgerPin {
  try {
    const { genesis_hash: genesisHash, seq, hash } = pinSchema.parse(JSON.parse(text));
    return { genesisHash, seq, hash };
  } catch (cause) {
    throw new Error(`${path}: no pin of a ledger`, { cause });
  }
}

function printPin({ genesisHash, seq, hash }: LedgerPin): string {
  return `${JSON.stringify({ genesis_hash: genesisHash, seq, hash })}\n`;
}
