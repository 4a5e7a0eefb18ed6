/**
 * `npm run check`: everything that must hold before a change lands. Runs every step even after a
 * failure, and ends with `N passed, N failed` alone on a line: steps and tests together.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Tally {
  passed: number;
  failed: number;
}

type Step = readonly [name: string, command: string, args: readonly string[]];

const bin = (name: string) => join('node_modules', '.bin', name);

const STEPS: readonly Step[] = [
  ['format', bin('prettier'), ['--check', '--log-level', 'warn', '.']],
  ['lint', 'npm', ['run', '--silent', 'lint']],
  ['types', bin('tsc'), ['-b']],
  ['import boundaries', 'npm', ['run', '--silent', 'boundaries']],
  ['dead code', bin('knip'), ['--no-progress', '--no-config-hints']],
  ['OpenAPI drift', process.execPath, ['infra/dev/dist/check/openapi-drift.js']],
  ['schema drift', process.execPath, ['infra/dev/dist/check/schema-drift.js']],
];

function runStep([name, command, args]: Step): boolean {
  const startedAt = Date.now();
  const result = spawnSync(command, args, { encoding: 'utf8' });
  const isGood = result.status === 0;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  if (!isGood) process.stdout.write(`${result.stdout}${result.stderr}\n`);
  return isGood;
}

function runTests(): Tally {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-check-'));
  const report = join(folder, 'jest.json');
  const args = ['infra/launch.mjs', 'test', '--json', `--outputFile=${report}`];
  // the summary is in the report: what Jest prints goes to the reader as it comes
  const result = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    ) as Record<string, number>;
    const failed = (numFailedTests ?? 0) + (numRuntimeErrorTestSuites ?? 0);
    // a run that failed without a failing test (a leak, a crash at the end) is a failure all the same
    return {
      passed: numPassedTests ?? 0,
      failed: failed + (result.status !== 0 && failed === 0 ? 1 : 0),
    };
  } catch {
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = STEPS.map(runStep);
const tests = runTests();
const passed = results.filter(Boolean).length + tests.passed;
const failed = results.filter((isGood) => !isGood).length + tests.failed;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
