import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

/** One start of a keeper over the file. */
async function start(name: string, now = NOW) {
  const file = await openDurableMessages(join(folder, name), () => now);
  const memory = createRequestMemory({ takenBefore: now, earlier: file.earlier, durable: file });
  return { file, memory };
}

describe('a keeper and a request whose clock is ahead', () => {
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

describe('a replica without a folder', () => {
  const memory = createRequestMemory({ takenBefore: NOW });
  const at = (openSince: number) => ({ requestId: 'another', openSince });

  it('takes no request whose clock is ahead, and none from before its start', () => {
    const later = NOW + 60_000;
    expect(memory.refuse(at(later + AHEAD_MS - 1), later)).toBeUndefined();
    expect(memory.refuse(at(later + AHEAD_MS), later)).toMatch('ahead');
    expect(memory.refuse(at(NOW + AHEAD_MS), later)).toBeUndefined();
    expect(memory.refuse(at(NOW + AHEAD_MS - 1), later)).toMatch('may know it');
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
