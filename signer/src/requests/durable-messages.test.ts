import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import { openDurableMessages } from './durable-messages.js';
import { AHEAD_MS, createRequestMemory } from './request-memory.js';

const NOW = Date.UTC(2026, 10, 22);
const ID = '0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b';
const MESSAGE = { at: NOW, nonce: 7n, sha256: 'ab'.repeat(32) };
const OTHER = { ...MESSAGE, sha256: 'cd'.repeat(32) };
const AHEAD = { requestId: ID, openSince: NOW + 200_000 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-messages-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** One start of a primary replica over the file. */
async function start(name: string, now = NOW) {
  const file = await openDurableMessages(join(folder, name), () => now);
  const memory = createRequestMemory({ takenBefore: now, earlier: file.earlier, durable: file });
  return { file, memory };
}

describe('a primary replica and a request whose clock is ahead', () => {
  it('gives it the same message after a restart, and no other', async () => {
    const first = await start('restart');
    expect(first.memory.refuse(AHEAD, NOW)).toBeUndefined();
    await first.memory.keep(AHEAD, MESSAGE, NOW);
    await first.file.close();

    const { file, memory } = await start('restart', NOW + 1);
    expect(memory.refuse(AHEAD, NOW + 1)).toBeUndefined();
    expect(memory.recall(ID)).toEqual(MESSAGE);
    // whether it was given is for the party's schema to say, and what is written down is given or nothing
    expect(memory.isGiven(ID)).toBe(false);
    memory.adopt(ID, OTHER);
    expect(memory.recall(ID)).toEqual(MESSAGE);
    await expect(memory.keep(AHEAD, OTHER, NOW + 1)).rejects.toThrow('another message');
    await file.close();
  });

  it('gives it to nobody before it is on the disk, also to whoever asks second', async () => {
    let isWritten = (): void => undefined;
    const add = () => new Promise<void>((resolve) => (isWritten = resolve));
    const memory = createRequestMemory({ takenBefore: 0, durable: { add } });
    const kept: string[] = [];
    const both = ['first', 'second'].map((who) =>
      memory.keep(AHEAD, MESSAGE, NOW).then(() => kept.push(who)),
    );
    await new Promise(setImmediate);
    expect(kept).toEqual([]);
    isWritten();
    await Promise.all(both);
    expect(kept).toHaveLength(2);
  });

  it('writes nothing down for a clock that is right', async () => {
    const { file, memory } = await start('right');
    await memory.keep({ requestId: ID, openSince: NOW + AHEAD_MS - 1 }, MESSAGE, NOW);
    await file.close();
    expect(readFileSync(join(folder, 'right'), 'utf8')).toBe('');
  });

  it('forgets it when nobody can ask for it any more', async () => {
    const { file, memory } = await start('old');
    await memory.keep(AHEAD, MESSAGE, NOW);
    await file.close();
    const later = await start('old', AHEAD.openSince + 2 * TIMESTAMP_WINDOW_MS + 1);
    expect(later.file.earlier).toEqual([]);
    await later.file.close();
  });

  it('leaves out a line that never came to its end', async () => {
    const { file, memory } = await start('torn');
    await memory.keep(AHEAD, MESSAGE, NOW);
    await file.close();
    appendFileSync(join(folder, 'torn'), '0c0c0c0c-0c0c');
    const again = await start('torn');
    expect(again.file.earlier.map(({ requestId }) => requestId)).toEqual([ID]);
    await again.file.close();
  });

  it('does not start over a file that says something else', async () => {
    writeFileSync(join(folder, 'other'), 'something else\n');
    await expect(start('other')).rejects.toThrow('no messages of requests');
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('something else\n');
  });
});

describe('a disk that takes nothing', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Every file handle fails in this way from now on, once. */
  async function failOnce(method: 'appendFile' | 'datasync' | 'sync', half = ''): Promise<void> {
    const handle = await open(join(folder, 'probe'), 'a');
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    jest.spyOn(prototype, method).mockImplementationOnce(async function (this: FileHandle) {
      if (half !== '') appendFileSync(this.fd, half);
      throw new Error('ENOSPC');
    });
  }

  const entry = (count: number) => ({
    requestId: ID.replace('0b', String(count).padStart(2, '0')),
    openSince: AHEAD.openSince,
    message: MESSAGE,
  });
  const idsOf = async (name: string) => {
    const { file } = await start(name);
    await file.close();
    return file.earlier.map(({ requestId }) => requestId);
  };

  it('in the middle of a line leaves a file that the next process can read', async () => {
    const { file } = await start('half');
    await file.add(entry(1));
    await failOnce('appendFile', '02020202-0b0b-4b');
    await expect(file.add(entry(2))).rejects.toThrow('ENOSPC');
    await file.add(entry(3));
    await file.close();
    expect(await idsOf('half')).toEqual([entry(1).requestId, entry(3).requestId]);
  });

  it('at the end of a line gives nothing out for it, and takes the next', async () => {
    const { file } = await start('unsynced');
    await failOnce('datasync');
    await expect(file.add(entry(1))).rejects.toThrow('ENOSPC');
    await file.add(entry(2));
    await file.close();
    expect(await idsOf('unsynced')).toEqual([entry(2).requestId]);
  });

  it('while the file is written anew loses nothing, and takes the next', async () => {
    const file = await openDurableMessages(
      join(folder, 'anew'),
      () => NOW,
      () => false,
      1,
    );
    await failOnce('sync');
    await file.add(entry(1));
    await file.add(entry(2));
    await file.close();
    expect(await idsOf('anew')).toEqual([entry(1).requestId, entry(2).requestId]);
  });

  it('when a primary replica starts keeps it from nothing but messages, and not for good', async () => {
    await failOnce('sync');
    const { file } = await start('full');
    await failOnce('sync');
    await expect(file.add(entry(1))).rejects.toThrow('ENOSPC');
    await file.add(entry(1));
    await file.close();
    expect(await idsOf('full')).toEqual([entry(1).requestId]);
  });

  it('is asked again by whoever asks for the same request next, for the same message', async () => {
    const { file, memory } = await start('again');
    await failOnce('appendFile');
    await expect(memory.keep(AHEAD, MESSAGE, NOW)).rejects.toThrow('ENOSPC');
    // it may lie on the disk: another replica's message does not take its place
    memory.adopt(ID, OTHER);
    await expect(memory.keep(AHEAD, OTHER, NOW)).rejects.toThrow('another message');
    await memory.keep(AHEAD, MESSAGE, NOW);
    await file.close();
    expect(await idsOf('again')).toEqual([ID]);
  });
});

describe("a replica whose host's clock is ahead for a moment", () => {
  const HOUR_MS = 3_600_000;
  const GIVEN = { requestId: ID, openSince: NOW };

  it('takes no request anew that it has forgotten', async () => {
    const memory = createRequestMemory({ takenBefore: 0, durable: { add: async () => undefined } });
    await memory.keep(GIVEN, MESSAGE, NOW);
    const other = { requestId: 'other', openSince: NOW + HOUR_MS };
    expect(memory.refuse(other, NOW + HOUR_MS)).toBeUndefined();
    // the clock is right again
    expect(memory.recall(ID)).toBeUndefined();
    expect(memory.refuse(GIVEN, NOW + 60_000)).toMatch('has forgotten it');
    expect(memory.refuse({ requestId: 'older', openSince: NOW - 1 }, NOW + 60_000)).toBeDefined();
    const newer = { requestId: 'newer', openSince: NOW + 1 };
    expect(memory.refuse(newer, NOW + 60_000)).toBeUndefined();
  });

  it('takes one that was released from approvals since, however long ago it was made', async () => {
    const memory = createRequestMemory({ takenBefore: 0, durable: { add: async () => undefined } });
    await memory.keep(GIVEN, MESSAGE, NOW);
    const now = NOW + HOUR_MS;
    const released = { requestId: 'released', openSince: now, madeAt: NOW - HOUR_MS };
    expect(memory.refuse({ requestId: 'other', openSince: now }, now)).toBeUndefined();
    expect(memory.refuse(released, now)).toBeUndefined();
  });
});

describe('a replica without a folder', () => {
  const memory = createRequestMemory({ takenBefore: NOW });
  const at = (openSince: number) => ({ requestId: 'another', openSince });

  it('takes no request whose clock is ahead, and none from before its start', () => {
    const later = NOW + 60_000;
    expect(memory.refuse(at(later + AHEAD_MS - 1), later)).toBeUndefined();
    expect(memory.refuse(at(later + AHEAD_MS), later)).toMatch('ahead');
    expect(memory.refuse(at(NOW + AHEAD_MS), later)).toBeUndefined();
    expect(memory.refuse(at(NOW + AHEAD_MS - 1), later)).toMatch('may have signed it');
  });

  it('takes over what another replica gave as long as nothing of its own has left, and not after', async () => {
    await memory.keep(at(NOW + AHEAD_MS), MESSAGE, NOW);
    memory.adopt('another', OTHER);
    expect(memory.recall('another')).toEqual(OTHER);
    memory.give('another');
    memory.adopt('another', MESSAGE);
    expect(memory.recall('another')).toEqual(OTHER);
  });
});
