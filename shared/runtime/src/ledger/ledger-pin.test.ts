import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AnotherPinsError, openPinFile, type LedgerPin } from './ledger-pin.js';

const PIN: LedgerPin = { genesisHash: 'ab'.repeat(32), seq: 7, hash: 'cd'.repeat(32) };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-pin-'));
  path = join(folder, 'party', 'ledger.pin');
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function openPinned(): Promise<ReturnType<typeof openPinFile>> {
  const file = openPinFile(path);
  await file.read();
  await file.write(PIN);
  return file;
}

describe('a pin', () => {
  it('is none where nothing was pinned, and is read back by the process that comes after', async () => {
    expect(await openPinFile(path).read()).toBeUndefined();
    await openPinned();
    const next = openPinFile(path);
    expect(await next.read()).toEqual(PIN);
    await next.write({ ...PIN, seq: 8 });
    await next.write({ ...PIN, seq: 9 });
    expect(await openPinFile(path).read()).toEqual({ ...PIN, seq: 9 });
  });

  it('is for its owner alone', async () => {
    await openPinned();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'party')).mode & 0o777).toBe(0o700);
  });

  it('is durable before it is said to be: file, then name, then folder', async () => {
    const file = await openPinned();
    const handle = await open(path);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const seen: (number | undefined)[] = [];
    const sync = prototype.sync;
    jest.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      const { seq } = JSON.parse(readFileSync(path, 'utf8')) as { seq: number };
      seen.push(seq);
      await sync.call(this);
    });
    await file.write({ ...PIN, seq: 8 });
    // under the old name at the first, under the new one at the second
    expect(seen).toEqual([7, 8]);
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('is not said to be durable where the disk says that it is not', async () => {
    const file = await openPinned();
    const handle = await open(path);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    jest.spyOn(prototype, 'sync').mockRejectedValue(new Error('EIO'));
    await expect(file.write({ ...PIN, seq: 8 })).rejects.toThrow('EIO');
    expect(await openPinFile(path).read()).toEqual(PIN);
  });

  it('that a disk took halfway is its own all the same when it is tried again', async () => {
    const file = await openPinned();
    const handle = await open(path);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const sync = prototype.sync;
    let calls = 0;
    // the new text has its name already; whether the folder would survive a loss of power is not known
    jest.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      calls += 1;
      if (calls % 2 === 0) throw new Error('EIO');
      await sync.call(this);
    });
    await expect(file.write({ ...PIN, seq: 8 })).rejects.toThrow('EIO');
    await expect(file.write({ ...PIN, seq: 9 })).rejects.toThrow('EIO');
    jest.restoreAllMocks();
    await file.write({ ...PIN, seq: 10 });
    expect(await openPinFile(path).read()).toEqual({ ...PIN, seq: 10 });
    rmSync(path);
    await expect(file.write({ ...PIN, seq: 11 })).rejects.toThrow(AnotherPinsError);
  });

  it('is not written where another process pinned meanwhile, and stays as the other left it', async () => {
    const [one, two] = [await openPinned(), openPinFile(path)];
    await two.read();
    await two.write({ ...PIN, seq: 8 });
    await expect(one.write({ ...PIN, seq: 9 })).rejects.toThrow('another process pins here');
    expect(await openPinFile(path).read()).toEqual({ ...PIN, seq: 8 });
  });

  it('is not written over one that was never read, nor where it was taken away', async () => {
    const file = await openPinned();
    await expect(openPinFile(path).write({ ...PIN, seq: 9 })).rejects.toThrow('another process');
    rmSync(path);
    await expect(file.write({ ...PIN, seq: 9 })).rejects.toThrow('another process');
    expect(existsSync(path)).toBe(false);
  });

  const pinText = { genesis_hash: PIN.genesisHash, seq: 7, hash: PIN.hash };
  it.each<[string, string]>([
    ['empty', ''],
    ['no JSON', 'garbage'],
    ['half a pin', JSON.stringify(pinText).slice(0, 80)],
    ['one without a genesis', JSON.stringify({ ...pinText, genesis_hash: undefined })],
    ['one of entry 0', JSON.stringify({ ...pinText, seq: 0 })],
    ['one of half an entry', JSON.stringify({ ...pinText, seq: 1.5 })],
    ['one with a short hash', JSON.stringify({ ...pinText, hash: 'cd' })],
    ['one with more in it', JSON.stringify({ ...pinText, more: 1 })],
  ])('that is %s is refused, and is not overwritten', async (_what, text) => {
    await openPinned();
    writeFileSync(path, text);
    const file = openPinFile(path);
    await expect(file.read()).rejects.toThrow('no pin of a ledger');
    await expect(file.write(PIN)).rejects.toThrow('another process pins here');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('that cannot be read at all is refused', async () => {
    await expect(openPinFile(folder).read()).rejects.toThrow('EISDIR');
  });
});
