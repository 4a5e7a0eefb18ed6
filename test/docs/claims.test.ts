/** docs/explanation/threats.md: each claim names the tests that try to break it, by a path that a reader can run. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const PAGE = 'docs/explanation/threats.md';
const HEADER = '| claim | who could break it | test |';
/** As the runners name them: Jest's (with the slow ones), and Python's. */
const TEST_FILE = /^[\w./-]+(\.(test|slow)\.ts|\/tests\/test_\w+\.py)$/;
const A_TEST = /\b(test|it|describe\w*)(\.each|\()|\bdef test_/;

interface Claim {
  readonly claim: string;
  readonly cells: readonly string[];
  readonly tests: readonly string[];
}

function claimsOf(page: string): Claim[] {
  const tables = page.split(`${HEADER}\n|---|---|---|\n`).slice(1);
  return tables.flatMap((rest) =>
    rest
      .slice(0, rest.indexOf('\n\n'))
      .split('\n')
      .map((row) => {
        const cells = row.split('|').slice(1, -1);
        const tests = [...cells.at(-1)!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!);
        return { claim: cells[0]!.trim(), cells, tests };
      }),
  );
}

const CLAIMS = claimsOf(readFileSync(PAGE, 'utf8'));

test('there are claims', () => {
  expect(CLAIMS.length).toBeGreaterThan(40);
});

test.each(CLAIMS)('$claim', ({ cells, tests }) => {
  expect(cells.filter((cell) => cell.trim() !== '')).toHaveLength(3);
  expect(tests).not.toEqual([]);
  expect(tests.filter((path) => !TEST_FILE.test(path) || !existsSync(path))).toEqual([]);
  expect(tests.filter((path) => !A_TEST.test(readFileSync(path, 'utf8')))).toEqual([]);
});
