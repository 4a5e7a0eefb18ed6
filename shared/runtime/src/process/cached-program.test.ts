import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openCachedProgram } from './cached-program.js';

const ANSWERS_42 = `
const { join } = require('node:path');
exports.folder = join(__dirname, '.');
exports.isStrict = (function () { return this === undefined; })();
exports.answer = (() => 42)();
`;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-program-'));
  file = join(folder, 'program.cjs');
  writeFileSync(file, ANSWERS_42);
});

afterEach(() => rmSync(folder, { recursive: true }));

function saveCache(): void {
  const program = openCachedProgram(file);
  program.run();
  program.saveCache();
}

test('a program without a cache runs, in strict mode, with the modules it finds from its place', () => {
  const program = openCachedProgram(file);
  expect(program.isCached).toBe(false);
  expect(program.run()).toEqual({ folder, isStrict: true, answer: 42 });
});

test('a program runs from the cache that it has left', () => {
  saveCache();
  const program = openCachedProgram(file);
  expect(program.isCached).toBe(true);
  expect(program.run()).toEqual({ folder, isStrict: true, answer: 42 });
});

test('a program that is another one since, of the same length, does not run from the old cache', () => {
  saveCache();
  writeFileSync(file, ANSWERS_42.replace('42', '43'));
  const program = openCachedProgram(file);
  expect(program.isCached).toBe(false);
  expect(program.run()).toMatchObject({ answer: 43 });
});

test('a cache with another byte anywhere in it, or cut off, is as none', () => {
  saveCache();
  const cache = readFileSync(`${file}.cache`);
  const broken = [0, 31, 32, 50, cache.length - 1].map((index) => {
    const copy = Buffer.from(cache);
    copy[index]! ^= 1;
    return copy;
  });
  for (const bytes of [...broken, cache.subarray(0, -1), cache.subarray(0, 10)]) {
    writeFileSync(`${file}.cache`, bytes);
    const program = openCachedProgram(file);
    expect(program.isCached).toBe(false);
    expect(program.run()).toMatchObject({ answer: 42 });
  }
});
