import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readPins, refuseMemory, writeMemory } from './party-memory.js';

const NOW = Date.UTC(2026, 10, 26);
const WINDOW_MS = 5 * 60_000;
const PIN = { genesisHash: 'ab'.repeat(32), seq: 7, hash: 'cd'.repeat(32) };

let folder: string;
let pinFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-memory-'));
  pinFile = join(folder, 'pin.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const mark = () => readFileSync(`${pinFile}.taken`, 'utf8');

describe('a memory that is made anew', () => {
  it('has the pin, and forgets all that can have been asked for by then', async () => {
    await writeMemory(pinFile, PIN, NOW);
    expect(await readPins([pinFile])).toEqual([PIN]);
    expect(mark()).toBe(`${NOW + WINDOW_MS} ${NOW + WINDOW_MS}\n`);
    expect(() => refuseMemory(pinFile)).toThrow('nothing is to be done');
  });

  it('takes no mark back that is still there', async () => {
    writeFileSync(`${pinFile}.taken`, `${NOW + 10 * WINDOW_MS}\n`);
    await writeMemory(pinFile, PIN, NOW);
    expect(mark()).toBe(`${NOW + 10 * WINDOW_MS} ${NOW + WINDOW_MS}\n`);
  });

  it('says which pin file of another node is not there', async () => {
    await expect(readPins([join(folder, 'nowhere')])).rejects.toThrow('there is no such file');
  });
});
