/** How hard a page is to read: sentences are measured as a reader meets them, without code, tables and headings. */

export interface ProseMeasure {
  /** Of the whole page, tables and code included. */
  readonly totalWords: number;
  readonly sentences: number;
  readonly mean: number;
  readonly p90: number;
  /** Share of sentences, 0 to 1. */
  readonly over40: number;
  /** How many sentences name more than one thing in inline code. */
  readonly manyNames: number;
  /** Numbers of the lines that are too long, from 1. */
  readonly longLines: readonly number[];
}

/** What may be had at most. */
export interface ProseBounds {
  readonly mean: number;
  readonly p90: number;
  readonly over40: number;
  readonly names: number;
  readonly line: number;
}

/** Those of a page. */
export const BOUNDS: ProseBounds = { mean: 18, p90: 30, over40: 0.03, names: 1, line: 120 };

const FENCE = /^\s*(```|~~~)/;
/** A line that is no prose, wherever it stands: a heading, a row of a table, a rule, HTML alone. */
const NO_PROSE = /^\s*(#{1,6} |\||-{3,}\s*$|<[^>]+>\s*$)/;
const LIST_ITEM = /^\s*([-*+]|\d+\.)\s+/;

const countWords = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Lines outside code; what is code is empty, so that numbers of lines stay. */
function linesOutsideCode(page: string): string[] {
  let isCode = false;
  return page.split('\n').map((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    return isCode || isFence ? '' : line;
  });
}

/** What inline code is measured as: a capital letter (a sentence may begin with it) that no page writes. */
const CODE = '\u{3A7}';

/** A link is its text, inline code is one word. */
function plain(line: string): string {
  return line
    .replaceAll(/`[^`]*`/g, CODE)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>/g, '');
}

function paragraphsOf(lines: readonly string[]): string[] {
  const paragraphs = [''];
  for (const line of lines) {
    const isBreak = line.trim() === '' || NO_PROSE.test(line);
    if (isBreak || LIST_ITEM.test(line)) paragraphs.push('');
    if (!isBreak) paragraphs[paragraphs.length - 1] += ` ${line.replace(LIST_ITEM, '')}`;
  }
  return paragraphs.map((paragraph) => plain(paragraph).trim());
}

/** Sentences of fewer than three words are labels. */
const sentencesOf = (paragraph: string) =>
  paragraph
    .split(/(?<=[.!?][*_)"']*)\s+(?=[*_("']*\p{Lu})/u)
    .map((sentence) => ({
      length: countWords(sentence).length,
      names: sentence.split(CODE).length - 1,
    }))
    .filter(({ length }) => length >= 3);

export function measureProse(page: string): ProseMeasure {
  const lines = linesOutsideCode(page.replace(/^---\n[\s\S]*?\n---\n/, ''));
  const sentences = paragraphsOf(lines).flatMap(sentencesOf);
  const lengths = sentences.map(({ length }) => length);
  const sorted = lengths.toSorted((a, b) => a - b);
  const share = (count: number) => (lengths.length === 0 ? 0 : count / lengths.length);
  return {
    totalWords: page.split(/\s+/).filter((word) => word !== '').length,
    sentences: lengths.length,
    mean: share(lengths.reduce((sum, length) => sum + length, 0)),
    p90: sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 0,
    over40: share(lengths.filter((length) => length > 40).length),
    manyNames: sentences.filter(({ names }) => names > BOUNDS.names).length,
    longLines: lines.flatMap((line, index) =>
      !NO_PROSE.test(line) && plain(line).length > BOUNDS.line ? [index + 1] : [],
    ),
  };
}

/** Whatever makes the page too hard to read, in words; empty when it is not. */
export function faultsOf(measure: ProseMeasure, bounds: ProseBounds = BOUNDS): string[] {
  const { mean, p90, over40, manyNames, longLines } = measure;
  const faults: string[] = [];
  if (mean > bounds.mean) faults.push(`${mean.toFixed(1)} words a sentence, not ${bounds.mean}`);
  if (p90 > bounds.p90) faults.push(`one sentence in ten has ${p90} words or more`);
  if (over40 > bounds.over40) {
    faults.push(`${(over40 * 100).toFixed(1)} % of the sentences have more than 40 words`);
  }
  if (manyNames > 0) faults.push(`more than ${bounds.names} code name in ${manyNames} sentences`);
  if (longLines.length > 0) {
    faults.push(`more than ${bounds.line} characters in line ${longLines.slice(0, 5).join(', ')}`);
  }
  return faults;
}
