/**
 * `npm run check`: everything that must hold before a change lands. Runs every step even after a
 * failure, and ends with `N passed, N failed` alone on a line: steps and tests together.
 *
 * `--fast` runs the Jest project `unit` alone: no servers, threads, programs or replaced modules, and a quarter of the random
 * cases.
 */
import { join } from 'node:path';
import { runSteps, type Step, type StepResult } from './run-step.js';
import { runTests } from './run-tests.js';

const isFast = process.argv.includes('--fast');

/** The steps are processes of their own. */
const LANES = 2;

/** Tests with servers wait for half of their time; one more of them than cores has something to do meanwhile. */
const WORKERS = 3;

const bin = (name: string) => join('node_modules', '.bin', name);
const script = (name: string): Step['args'] => ['run', '--silent', name];

/** What it read in a file holds until that file has another time or size; what follows from all of them is found anew. */
const DEAD_CODE_CACHE = isFast ? ['--cache'] : [];

const STEPS: readonly Step[] = [
  { name: 'format', command: 'npm', args: script('format:check') },
  { name: 'lint', command: 'npm', args: script('lint') },
  { name: 'types', command: bin('tsc'), args: ['-b', '--checkers', '1'] },
  { name: 'import boundaries', command: 'npm', args: script('boundaries') },
  {
    name: 'dead code',
    command: bin('knip'),
    args: ['--no-progress', '--no-config-hints', ...DEAD_CODE_CACHE],
  },
  {
    name: 'OpenAPI drift',
    command: process.execPath,
    args: ['workshop/dist/check/openapi-drift.js'],
  },
  { name: 'prose', command: 'npm', args: script('prose') },
];

const STEPS_WITH_SERVERS: readonly Step[] = [
  {
    name: 'schema drift',
    command: process.execPath,
    args: ['workshop/dist/check/schema-drift.js'],
  },
];

function tell({ name, isGood, seconds, output }: StepResult): void {
  process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`);
  if (!isGood) process.stdout.write(`${output}\n`);
}

/** Tests without servers keep a core busy each to the end: the steps, one at a time, find what they leave of both. */
function checkFast() {
  const tests = runTests(['--selectProjects', 'unit'], { COUNTERSIGN_FAST: '1' });
  return Promise.all([runSteps(STEPS, 1, tell), tests]);
}

/** Where servers are waited for, nothing runs beside the tests. */
async function checkAll() {
  const results = await runSteps([...STEPS, ...STEPS_WITH_SERVERS], LANES, tell);
  const tests = await runTests(['--maxWorkers', String(WORKERS)], { COUNTERSIGN_FAST: '0' });
  return [results, tests] as const;
}

const [results, tests] = await (isFast ? checkFast() : checkAll());
const passed = results.filter(({ isGood }) => isGood).length + tests.passed;
const failed = results.filter(({ isGood }) => !isGood).length + tests.failed;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
