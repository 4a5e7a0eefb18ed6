import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { COMMANDS } from '../commands/all-commands.js';
import { referencePage } from './reference-page.js';

const commands = COMMANDS.topics.flatMap((topic) => topic.commands);

it('is the page in docs/reference (npm run -s countersign -- reference > docs/reference/commands.md)', () => {
  expect(readFileSync('docs/reference/commands.md', 'utf8')).toBe(referencePage(COMMANDS));
});

it('names each command once', () => {
  const page = referencePage(COMMANDS);
  const [, ...sections] = page.split(/^## /m);
  const rows = [...sections.join('').matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => {
    const [first, ...others] = [...cell!.matchAll(/`([^`]+)`/g)].map(([, typed]) => typed!);
    const [noun] = first!.split(' ');
    return [first!, ...others.map((typed) => `${noun} ${typed}`)];
  });
  expect(rows).toEqual(commands.map(({ words }) => words));
});

it('has each command once, with an example that begins with its words', () => {
  const names = commands.map(({ words }) => words);
  expect(new Set(names).size).toBe(names.length);
  for (const { words, examples } of commands) {
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(`${example} `).toMatch(new RegExp(`^${words} `));
  }
});

it('explains each noun that has verbs, and no other', () => {
  const nouns = commands.flatMap(({ words }) =>
    words.includes(' ') ? [words.split(' ')[0]!] : [],
  );
  expect(Object.keys(COMMANDS.nouns).toSorted()).toEqual([...new Set(nouns)].toSorted());
});

it('has no option whose value is a secret: secrets are in files', () => {
  const options = commands.flatMap(({ options: all = [] }) => all);
  const secret = /secret|passphrase|password|private|api-key|kek|token/;
  const wrong = options.filter(
    ({ name, value }) => secret.test(name) && value !== undefined && !/FILE|FOLDER/.test(value),
  );
  // the venue's own name for a key
  expect([...new Set(wrong.map(({ name }) => name))]).toEqual(['venue-api-key']);
});
