/** A source file is found by its name: no two share one, but for sides of one thing. */
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { repoPaths } from '../support/repo-files.ts';

/** Folders whose files are named after each other: what a thing is, and what it does. */
const SIDES: readonly (readonly [string, string])[] = [
  ['shared/api/src/operations', 'shared/vault/src/operations'],
];

/** Names that mean the same wherever they stand. */
const EVERYWHERE = new Set([
  // the program that a folder is there for
  'main.ts',
  // tries the README beside it
  'readme.test.ts',
  // the ledger's operation, and the command of that name at a desk
  'import-key.ts',
]);

function isPair(paths: readonly string[]): boolean {
  const folders = paths.map((path) => posix.dirname(path)).toSorted();
  return SIDES.some((sides) => sides.toSorted().join() === folders.join());
}

test('no two source files have one name', () => {
  const byName = new Map<string, string[]>();
  for (const path of repoPaths().filter((file) => /\.(ts|mjs)$/.test(file))) {
    const name = posix.basename(path);
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  expect(byName.size).toBeGreaterThan(400);
  const shared = [...byName].filter(
    ([name, paths]) => paths.length > 1 && !EVERYWHERE.has(name) && !isPair(paths),
  );
  expect(shared).toEqual([]);
});
