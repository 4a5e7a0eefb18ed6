/**
 * The file beside a keeper's pin in which it writes down the messages of requests that could be asked for when the process is
 * another one: their clocks are ahead, or they could come to wait for approvals.
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
  /** What the processes before this one wrote down, and what could still be asked for. */
  readonly earlier: readonly DurableMessage[];
  close(): Promise<void>;
}

/** The file is written anew, without what nobody can ask for any more, when it has grown by so many bytes. */
const REWRITE_AFTER_BYTES = 16 * 2 ** 20;

/** `now`: ms; `isHeld`: whether it waits for approvals. Throws on a file that cannot be read: what it said could not be kept to. */
export async function openDurableMessages(
  path: string,
  now: () => number,
  isHeld: (requestId: string) => boolean = () => false,
): Promise<DurableMessagesFile> {
  const isNeeded = ({ requestId, openSince }: DurableMessage) =>
    isOpen(openSince, now()) || isHeld(requestId);
  const earlier = (await readMessages(path)).filter(isNeeded);
  let written: DurableMessage[] = [...earlier];
  let file = await rewrite(path, written);
  let grownBy = 0;

  const writes = createGroupCommit<DurableMessage, void>(async (entries) => {
    const text = entries.map(lineOf).join('');
    await file.appendFile(text);
    await file.datasync();
    written.push(...entries);
    grownBy += text.length;
    if (grownBy > REWRITE_AFTER_BYTES) {
      await file.close();
      written = written.filter(isNeeded);
      file = await rewrite(path, written);
      grownBy = 0;
    }
    return entries.map(() => undefined);
  });
  return {
    earlier,
    add: (entry) => writes.add(entry),
    async close() {
      await writes.drain();
      await file.close();
    },
  };
}

async function rewrite(path: string, entries: readonly DurableMessage[]): Promise<FileHandle> {
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
  // what follows the last line break was not on the disk when the process ended, so nothing was given for it
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
