/**
 * Pages, comments and what programs say are read once: prints how hard each is to read, and fails on one that is too
 * hard.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { BOUNDS, faultsOf, measureProse, type ProseMeasure } from './measure-prose.js';
import { readComments } from './read-comments.js';
import { readTexts, textsOfApi } from './read-texts.js';
import { specPath } from './spec-path.js';

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

/** Whose comments, and whose texts, are measured as one page each. */
const SOURCES = [
  'gateway/src',
  'signer/src',
  'shared',
  'client',
  'console/src',
  'notifier/src',
  'infra',
];

/** A text that a program says stands alone: it is shorter than a sentence of a page. */
const TEXT_BOUNDS = { ...BOUNDS, mean: 14, p90: 20, over40: 0 };

function tell(path: string, measure: ProseMeasure, bounds = BOUNDS) {
  const faults = faultsOf(measure, bounds);
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
// they speak of code, and their lines are as long as they were written
const measureWords = (texts: string) => ({ ...measureProse(texts), manyNames: 0, longLines: [] });
told.push(...SOURCES.map((folder) => tell(folder, measureWords(readComments(folder)))));
process.stdout.write('What programs say:\n');
const spec: unknown = JSON.parse(readFileSync(specPath(), 'utf8'));
told.push(
  tell('API description', measureWords(textsOfApi(spec)), TEXT_BOUNDS),
  ...SOURCES.map((folder) => tell(folder, measureWords(readTexts(folder)), TEXT_BOUNDS)),
);
process.exit(told.every(({ isGood }) => isGood) ? 0 : 1);
