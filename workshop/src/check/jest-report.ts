/** What Jest's report says, as the check counts it. */
import { z } from 'zod';

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** Full names of the tests that did not run: never counted as passed. */
  readonly skipped: readonly string[];
}

const NOT_RUN = new Set(['pending', 'skipped', 'todo', 'disabled']);

/** `text`: the JSON that Jest wrote. Throws when it is none. `hasFailed`: what its exit code said. */
export function readJestReport(text: string, hasFailed: boolean): Tally {
  const report = reportSchema.parse(JSON.parse(text));
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: report.numPassedTests,
    // a run that failed without a failing test (a leak, a crash at the end) is a failure all the same
    failed: hasFailed && failed === 0 ? 1 : failed,
    skipped: tests.filter(({ status }) => NOT_RUN.has(status)).map(({ fullName }) => fullName),
  };
}
