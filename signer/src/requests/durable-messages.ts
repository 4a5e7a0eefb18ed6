/**
 * This file beside a primary replica's pin holds messages of requests that could be asked for again after a restart:
 * their clocks are ahead, or they could come to wait for approvals.
 */
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import {
  isOpen,
  type DurableMessages,
  type RequestMessage,
  type TimedRequest,
} from './request-memory.js';

export type DurableMessage = TimedRequest & { readonly message: RequestMessage };

const LINE = /^([0-9a-f-]{36}) (\d{1,16}) (\d{1,16}) (\d{1,20}) ([0-9a-f]{64})$/;

export interface DurableMessagesFile extends DurableMessages {
  /** What earlier processes wrote down and could still be asked for. */
  readonly earlier: readonly DurableMessage[];
  close(): Promise<void>;
}

/** When the file has grown by this much, it is rewritten without requests that nobody can ask for any more. */
const REWRITE_AFTER_BYTES = 16 * 2 ** 20;

/**
 * `now`: ms; `isHeld`: whether it waits for approvals. Throws on a file that cannot be read: the party could not keep
 * to what it said.
 */
export async function openDurableMessages(
  path: string,
  now: () => number,
  isHeld: (requestId: string) => boolean = () => false,
  rewriteAfterBytes = REWRITE_AFTER_BYTES,
): Promise<DurableMessagesFile> {
  const isNeeded = ({ requestId, openSince }: DurableMessage) =>
    isOpen(openSince, now()) || isHeld(requestId);
  const earlier = (await readMessages(path)).filter(isNeeded);
  const lines = createLines({ path, isNeeded, rewriteAfterBytes }, [...earlier]);
  const writes = createGroupCommit<DurableMessage, void>(async (entries) => {
    await lines.append(entries);
    return entries.map(() => undefined);
  });
  // if the disk takes nothing now, the first message tries again
  await lines.rewrite().catch(() => undefined);
  return {
    earlier,
    add: (entry) => writes.add(entry),
    async close() {
      await writes.drain();
      await lines.close();
    },
  };
}

interface LinesOptions {
  readonly path: string;
  isNeeded(entry: DurableMessage): boolean;
  readonly rewriteAfterBytes: number;
}

/** The open file. After a failure it is rewritten before anything follows: half a line may lie at its end. */
function createLines(
  { path, isNeeded, rewriteAfterBytes }: LinesOptions,
  written: DurableMessage[],
) {
  let grownBy = 0;
  let file: FileHandle | undefined;

  async function close(): Promise<void> {
    const open = file;
    file = undefined;
    await open?.close();
  }

  async function rewrite(): Promise<FileHandle> {
    await close();
    written = written.filter(isNeeded);
    file = await writeAnew(path, written);
    grownBy = 0;
    return file;
  }

  return {
    rewrite,
    /** Resolves once the entries are on the disk. */
    async append(entries: readonly DurableMessage[]): Promise<void> {
      const text = entries.map(lineOf).join('');
      const end = file ?? (await rewrite());
      try {
        await end.appendFile(text);
        await end.datasync();
      } catch (error) {
        await close().catch(() => undefined);
        throw error;
      }
      written.push(...entries);
      grownBy += text.length;
      // a failure here does not touch these entries: they are on the disk
      if (grownBy > rewriteAfterBytes) await rewrite().catch(() => undefined);
    },
    close,
  };
}

async function writeAnew(path: string, entries: readonly DurableMessage[]): Promise<FileHandle> {
  await replaceDurably(path, entries.map(lineOf).join(''));
  return open(path, 'a', 0o600);
}

async function readMessages(path: string): Promise<DurableMessage[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  // text after the last line break was not on the disk when the process ended, so nothing was given for it
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseLine(path, line));
}

function parseLine(path: string, line: string): DurableMessage {
  const [, requestId, openSince, at, nonce, sha256] = LINE.exec(line) ?? [];
  if (requestId === undefined) throw new Error(`${path}: no messages of requests`);
  const message = { at: Number(at), nonce: BigInt(nonce!), sha256: sha256! };
  return { requestId, openSince: Number(openSince), message };
}

function lineOf({ requestId, openSince, message }: DurableMessage): string {
  return `${requestId} ${openSince} ${message.at} ${message.nonce} ${message.sha256}\n`;
}
