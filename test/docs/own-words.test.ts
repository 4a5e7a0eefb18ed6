/** Comments and documents cite what a reader has: this repository, and what is published. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { repoPaths } from '../support/repo-files.ts';

/** Names of papers that are not in the repository; taken apart, so that this file does not name them. */
const FOREIGN = new RegExp(`\\b(${['SP' + 'EC', 'DES' + 'IGN', 'DECIS' + 'IONS'].join('|')})\\b`);

test('nothing refers to a paper that is not in the repository', () => {
  const texts = repoPaths().filter((path) => /\.(ts|mjs|md|yml)$/.test(path));
  expect(texts.length).toBeGreaterThan(400);
  expect(texts.filter((path) => FOREIGN.test(readFileSync(path, 'utf8')))).toEqual([]);
});
