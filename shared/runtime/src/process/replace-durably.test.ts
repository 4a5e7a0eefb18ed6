import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { replaceDurably } from './replace-durably.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replace-durably-'));
  path = join(folder, 'text');
  writeFileSync(path, 'old');
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function* pieces(count: number): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) yield 'x'.repeat(64 * 1_024);
}

async function* endingInFault(): AsyncGenerator<string> {
  yield* pieces(4);
  throw new Error('no more');
}

describe('a text that is replaced', () => {
  it('is the new one, whole or in pieces, and nothing is left beside it', async () => {
    await replaceDurably(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    await replaceDurably(path, pieces(2));
    expect(readFileSync(path, 'utf8')).toHaveLength(128 * 1_024);
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('that breaks off gives its room back: a disk that it filled would stay full of it', async () => {
    await expect(replaceDurably(path, endingInFault())).rejects.toThrow('no more');
    expect([readFileSync(path, 'utf8'), existsSync(`${path}.new`)]).toEqual(['old', false]);
  });

  it('that the disk does not confirm gives its room back, too', async () => {
    const handle = await open(path);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    jest.spyOn(prototype, 'sync').mockRejectedValue(new Error('ENOSPC'));
    await expect(replaceDurably(path, 'new')).rejects.toThrow('ENOSPC');
    expect([readFileSync(path, 'utf8'), existsSync(`${path}.new`)]).toEqual(['old', false]);
  });
});
