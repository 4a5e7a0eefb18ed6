/** The end of a run: how many tests there were, the ten slowest files, and what was skipped and why. */

const SLOWEST = 10;
const NOT_RUN = new Set(['pending', 'skipped', 'todo', 'disabled']);
/** As `runWhere` (test/support/run-where.ts) writes it into the title of what it skips. */
const REASON = /\(skipped: ([^)]*)\)/;

/** Jest calls it once all files have run. On stderr, as all that it says itself: stdout is for `--json`. */
export default class RunSummary {
  #isPart;
  #root;

  constructor({ rootDir, testNamePattern }) {
    this.#root = rootDir;
    this.#isPart = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    process.stderr.write(`\n${summaryOf(results, this.#root, this.#isPart).join('\n')}\n`);
  }
}

/** `isPart`: tests were chosen by name, and nobody wants to hear of the others. */
export function summaryOf(results, root, isPart = false) {
  const { numPassedTests: passed, numFailedTests: failed, testResults: files } = results;
  const skipped = isPart ? [] : files.flatMap((file) => file.testResults.filter(isSkipped));
  return [
    `${passed} tests passed, ${failed} failed, ${skipped.length} were skipped`,
    `The slowest ${SLOWEST} files, each with its slowest test:`,
    ...slowestOf(files).map((file) => lineOf(file, root)),
    ...reasonsOf(skipped),
  ];
}

const isSkipped = ({ status }) => NOT_RUN.has(status);
const millisOf = ({ perfStats }) => perfStats.end - perfStats.start;
const inSeconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

function slowestOf(files) {
  return files.toSorted((a, b) => millisOf(b) - millisOf(a)).slice(0, SLOWEST);
}

function lineOf(file, root) {
  const path = file.testFilePath.slice(root.length + 1);
  const [slowest] = file.testResults.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
  const test =
    slowest === undefined ? '' : ` (${inSeconds(slowest.duration ?? 0)}: ${slowest.fullName})`;
  return `${inSeconds(millisOf(file)).padStart(9)} ${path}${test}`;
}

/** One line for each reason, and one for each test that gives none. */
function reasonsOf(skipped) {
  const counts = new Map();
  for (const { fullName } of skipped) {
    const reason = REASON.exec(fullName)?.[1] ?? `no reason is given by "${fullName}"`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `${count} skipped: ${reason}`);
}
