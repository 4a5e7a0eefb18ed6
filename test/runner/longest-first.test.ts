/** What is begun first is named by hand: a file that was renamed would be begun last again. */
import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const { SECONDS } = (await import(
  new URL('../support/longest-first.mjs', import.meta.url).href
)) as {
  SECONDS: Readonly<Record<string, number>>;
};

test('each file that is begun early exists', () => {
  const missing = Object.keys(SECONDS).filter((path) => !existsSync(path));
  expect(missing).toEqual([]);
});
