import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { areBundlesStale } from './stale-bundles.js';

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
  write('infra/prices/bundle/program.cjs.cache', 2);
});

afterEach(() => rmSync(root, { recursive: true }));

test('bundles written after all that they are made of are not stale', () => {
  expect(areBundlesStale(root)).toBe(false);
});

test.each([
  'package-lock.json',
  'infra/dev/dist/build/bundle-programs.js',
  'infra/dev/dist/build/bundle.js',
  'signer/dist/secrets/frost/dkg.js',
  'shared/vault/dist/ledger/fold.js',
])('bundles older than %s are stale', (path) => {
  write(path, 3);
  expect(areBundlesStale(root)).toBe(true);
});

test('bundles that were never written are stale', () => {
  rmSync(join(root, 'infra/prices/bundle/program.cjs.cache'));
  expect(areBundlesStale(root)).toBe(true);
});
