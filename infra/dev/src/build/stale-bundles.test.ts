import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { PROGRAMS, STARTER, isStale } from './stale-bundles.js';

let root: string;

/** Writes a file as if at this second. */
function write(path: string, second: number): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  utimesSync(file, second, second);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-bundles-'));
  write('package-lock.json', 1);
  write('infra/dev/dist/build/bundle-programs.js', 1);
  write('infra/dev/dist/build/bundle.js', 1);
  write('signer/dist/secrets/frost/dkg.js', 1);
  write(PROGRAMS.written, 2);
  write(STARTER.written, 2);
});

afterEach(() => rmSync(root, { recursive: true }));

test('bundles written after all that they are made of are not stale', () => {
  expect([isStale(root, PROGRAMS), isStale(root, STARTER)]).toEqual([false, false]);
});

test.each([
  ['package-lock.json', [true, true]],
  ['infra/dev/dist/build/bundle-programs.js', [true, true]],
  ['infra/dev/dist/build/bundle.js', [true, true]],
  ['shared/vault/dist/ledger/fold.js', [true, true]],
  ['signer/dist/secrets/frost/dkg.js', [true, false]],
  ['infra/dev/dist/start/start.js', [false, true]],
])('of programs and starter, what is older than %s is stale', (path, stale) => {
  write(path, 3);
  expect([isStale(root, PROGRAMS), isStale(root, STARTER)]).toEqual(stale);
});

test('bundles that were never written are stale', () => {
  for (const bundles of [PROGRAMS, STARTER]) {
    rmSync(join(root, bundles.written));
    expect(isStale(root, bundles)).toBe(true);
  }
});
