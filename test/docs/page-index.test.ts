/** Every page is found from docs/README.md, and by a language model from llms.txt. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repoPaths } from '../support/repo-files.ts';

const INDEX = 'docs/README.md';
const PAGES = repoPaths('docs/').filter((path) => path.endsWith('.md') && path !== INDEX);

/** Paths from the root, of what a page links to in this repository. */
function linksOf(page: string): string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
  return links.map(([, target]) => posix.join(posix.dirname(page), target!));
}

/** Linked by itself, or, as decisions are, from a README of its folder that is. */
function isFound(page: string, from: readonly string[]): boolean {
  const folder = posix.join(posix.dirname(page), 'README.md');
  if (from.includes(page)) return true;
  return folder !== page && from.includes(folder) && linksOf(folder).includes(page);
}

describe.each([INDEX, 'llms.txt'])('%s', (index) => {
  it('leads to every page', () => {
    const links = linksOf(index);
    expect(PAGES.length).toBeGreaterThan(20);
    expect(PAGES.filter((page) => !isFound(page, links))).toEqual([]);
  });
});

describe('llms.txt', () => {
  it('is as such files are: a title, a summary, and sections of links', () => {
    const [title, , ...lines] = readFileSync('llms.txt', 'utf8').trimEnd().split('\n');
    expect(title).toBe('# Countersign');
    expect(lines[0]).toMatch(/^> \w/);
    const lists = lines.slice(lines.findIndex((line) => line.startsWith('## ')));
    const odd = lists.filter((line) => !/^$|^## \w|^- \[[^\]]+\]\([^)\s]+\): \w/.test(line));
    expect(odd).toEqual([]);
  });
});
