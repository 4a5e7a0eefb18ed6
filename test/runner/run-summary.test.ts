import { expect, it } from '@jest/globals';

type Summary = (results: object, root: string, isPart?: boolean) => string[];
const { summaryOf } = (await import(new URL('run-summary.mjs', import.meta.url).href)) as {
  summaryOf: Summary;
};

const ROOT = '/repository';

/** What Jest tells of a file that took so many seconds. */
function file(name: string, seconds: number, ...tests: object[]) {
  const perfStats = { start: 5_000, end: 5_000 + seconds * 1000 };
  return { testFilePath: `${ROOT}/test/${name}.test.ts`, perfStats, testResults: tests };
}

const passed = (fullName: string, duration: number) => ({ status: 'passed', fullName, duration });
const skipped = (fullName: string) => ({ status: 'pending', fullName, duration: null });

it('has the count, the slowest files with the slowest test of each, and why tests were skipped', () => {
  const lines = summaryOf(
    {
      numPassedTests: 3,
      numFailedTests: 1,
      testResults: [
        file('short', 1, passed('is quick', 40)),
        file('long', 25, passed('is slow', 9_000), passed('is slower', 12_300)),
        file('browser', 0, skipped('the page (skipped: needs Chromium) opens'), skipped('one')),
        file('again', 0, skipped('the page (skipped: needs Chromium) closes')),
      ],
    },
    ROOT,
  );
  expect(lines).toEqual([
    '3 tests passed, 1 failed, 3 were skipped',
    'The slowest 10 files, each with its slowest test:',
    '   25.0 s test/long.test.ts (12.3 s: is slower)',
    '    1.0 s test/short.test.ts (0.0 s: is quick)',
    expect.stringContaining('test/browser.test.ts'),
    expect.stringContaining('test/again.test.ts'),
    '2 skipped: needs Chromium',
    '1 skipped: no reason is given by "one"',
  ]);
});

it('tells of ten files at most', () => {
  const testResults = Array.from({ length: 30 }, (_, index) => file(`file-${index}`, index));
  const lines = summaryOf({ numPassedTests: 30, numFailedTests: 0, testResults }, ROOT);
  expect(lines).toHaveLength(12);
  expect(lines[2]).toContain('file-29');
});

it('says nothing of tests that were left out by name', () => {
  const results = {
    numPassedTests: 1,
    numFailedTests: 0,
    testResults: [file('one', 1, passed('asked for', 5), skipped('not asked for'))],
  };
  expect(summaryOf(results, ROOT, true).join('\n')).not.toContain('not asked for');
});
