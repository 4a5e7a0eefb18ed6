/** Pages that are read once: prints how hard each is to read, and fails on one that is too hard. */
import { readdirSync, readFileSync } from 'node:fs';
import { faultsOf, measureProse, type ProseMeasure } from './measure-prose.js';
import { readComments } from './read-comments.js';

/** Where a page is that is not in docs/. */
const ELSEWHERE = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'client/README.md',
  'client/ccxt/README.md',
  'client/mcp/README.md',
  'client/python/README.md',
  'console/README.md',
  'llms.txt',
];

const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

/** Whose comments are measured as one page each. */
const COMMENTED = [
  'gateway/src',
  'signer/src',
  'shared',
  'client',
  'console/src',
  'notifier/src',
  'infra',
];

function tell(path: string, measure: ProseMeasure): { words: number; isGood: boolean } {
  const faults = faultsOf(measure);
  const figures = [
    String(measure.totalWords).padStart(6),
    measure.mean.toFixed(1).padStart(6),
    String(measure.p90).padStart(5),
    `${(measure.over40 * 100).toFixed(1)} %`.padStart(8),
  ];
  process.stdout.write(`${figures.join('')}  ${path}  ${faults.join('; ')}\n`);
  return { words: measure.totalWords, isGood: faults.length === 0 };
}

process.stdout.write(' words  mean  p90  over 40  page\n');
const told = [...ELSEWHERE, ...pages.toSorted()].map((path) =>
  tell(path, measureProse(readFileSync(path, 'utf8'))),
);
process.stdout.write(
  `${String(told.reduce((sum, { words }) => sum + words, 0)).padStart(6)}  in all\n`,
);
process.stdout.write('Comments:\n');
// a line of a comment is as long as it was written, and it speaks of code
const measureComments = (folder: string) => ({
  ...measureProse(readComments(folder)),
  manyNames: 0,
  longLines: [],
});
told.push(...COMMENTED.map((folder) => tell(folder, measureComments(folder))));
process.exit(told.every(({ isGood }) => isGood) ? 0 : 1);
