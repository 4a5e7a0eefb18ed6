import { describe, expect, test } from '@jest/globals';
import { readJestReport } from './jest-report.js';

const result = (status: string, fullName: string) => ({ status, fullName });

function reportOf(fields: Partial<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    numPassedTests: 2,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: [
      { assertionResults: [result('passed', 'a one'), result('pending', 'a two')] },
      { assertionResults: [result('passed', 'b one'), result('todo', 'b two')] },
    ],
    ...fields,
  });
}

describe("what is counted of Jest's report", () => {
  test('tests that did not run are named, and are not passed', () => {
    expect(readJestReport(reportOf(), false)).toEqual({
      passed: 2,
      failed: 0,
      skipped: ['a two', 'b two'],
    });
  });

  test('a file that could not be run is a failure like a failed test', () => {
    const text = reportOf({ numFailedTests: 1, numRuntimeErrorTestSuites: 2 });
    expect(readJestReport(text, true)).toMatchObject({ passed: 2, failed: 3 });
  });

  test('a run that failed without a failed test is a failure', () => {
    expect(readJestReport(reportOf(), true)).toMatchObject({ failed: 1 });
  });

  test('what is no report is an error', () => {
    expect(() => readJestReport('{}', false)).toThrow();
    expect(() => readJestReport('', false)).toThrow();
  });
});
