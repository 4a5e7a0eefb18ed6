/** The pages that a newcomer reads first. Their commands are followed in test/npm-start.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { blocksOf, commandsOf, promisedLines } from '../support/page-commands.ts';

const PAGES = ['README.md', ...readdirSync('docs/start').map((name) => `docs/start/${name}`)];
const EXAMPLES = ['client/examples', 'client/ccxt/examples'].flatMap((folder) =>
  readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
);

describe.each(PAGES)('%s', (path) => {
  const page = readFileSync(path, 'utf8');

  it('has commands', () => {
    expect(commandsOf(page)).not.toBe('');
  });

  it('names only npm scripts that exist', () => {
    const manifest = readFileSync('package.json', 'utf8');
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
    const named = [...page.matchAll(/\bnpm (?:run )?(?:-s |--silent )?([a-z][a-z:-]+)/g)];
    expect(named.map((match) => match[1]!).filter((name) => !(name in scripts))).toEqual([]);
  });

  it('shows no program that differs from the example which it shows', () => {
    for (const block of blocksOf(page, 'js')) {
      expect(EXAMPLES.some((example) => example.includes(block))).toBe(true);
    }
  });
});

test('what a page says that its commands print is found', () => {
  const page =
    '1. Do:\n\n   ```sh\n   call x   # → one | two\n   ```\n\n   ```sh\n   npm start\n   ```\n';
  expect(commandsOf(page)).toBe('call x   # → one | two\n');
  expect(promisedLines(commandsOf(page))).toEqual(['one', 'two']);
});
