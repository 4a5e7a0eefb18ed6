import { describe, expect, it } from '@jest/globals';
import { faultsOf, measureProse } from './measure-prose.js';

const sentence = (words: number) => `The${'\ngateway'.repeat(words - 1)}.`;
const page = (...parts: string[]) => parts.join('\n');

describe('what is measured', () => {
  it('sentences, however they end, across lines', () => {
    const { sentences, mean } = measureProse(
      'A party\nsigns it. Does it sign? **It does not!** The next\nline ends it.',
    );
    expect([sentences, mean]).toEqual([4, 15 / 4]);
  });

  it.each([
    ['code', page('```sh', sentence(200), '```')],
    ['a table', `| ${sentence(200)} |`.replaceAll('\n', ' ')],
    ['a heading', `## ${sentence(200)}`.replaceAll('\n', ' ')],
    ['front matter', page('---', `title: ${sentence(200)}`, '---', '')],
    ['HTML alone on a line', '<img src="a.png" alt="one two three four five">'],
    ['a label of two words', 'Stays excluded.'],
  ])('not %s', (_what, text) => {
    const { sentences, longLines } = measureProse(text);
    expect([sentences, longLines]).toEqual([0, []]);
  });

  it('each item of a list for itself, without its mark', () => {
    const { sentences, mean } = measureProse(
      page('- one two three', '  four', '2. one two three four'),
    );
    expect([sentences, mean]).toEqual([2, 4]);
  });

  it('a link as its text, inline code as one word', () => {
    const { mean, longLines } = measureProse(
      `See [the page](${'x'.repeat(200)}) and \`${'a b '.repeat(60)}\`.`,
    );
    expect([mean, longLines]).toEqual([5, []]);
  });

  it('words of the whole page, tables and code included', () => {
    expect(measureProse(page('# A title', '', '| one | two |', '')).totalWords).toBe(8);
  });

  it('nothing in an empty page', () => {
    expect(measureProse('')).toMatchObject({ sentences: 0, mean: 0, p90: 0, over40: 0 });
  });
});

describe('what is refused', () => {
  const faults = (text: string) => faultsOf(measureProse(text));
  const short = `${sentence(10)}\n\n`;

  it('nothing of a page of short sentences', () => {
    expect(faults(short.repeat(20))).toEqual([]);
  });

  it('more than 18 words a sentence', () => {
    expect(faults(`${sentence(18)}\n\n${sentence(19)}`)).toEqual(['18.5 words a sentence, not 18']);
  });

  it('every tenth sentence above 30 words', () => {
    expect(faults(short.repeat(9) + sentence(35))).toEqual([]);
    expect(faults(short.repeat(8) + `${sentence(35)}\n\n${sentence(35)}`)).toEqual([
      'one sentence in ten has 35 words or more',
    ]);
  });

  it('more than 3 % above 40 words', () => {
    expect(faults(short.repeat(40) + sentence(41))).toEqual([]);
    expect(faults(short.repeat(20) + sentence(41))).toEqual([
      '4.8 % of the sentences have more than 40 words',
    ]);
  });

  it.each([
    ['two in one sentence', 'Set `PORT` and `HOST`.', 1],
    ['each such sentence', 'Set `PORT` and `HOST`. `a` names `b`. Then wait for it.', 2],
    ['across lines and in links', 'Set `PORT`\nand [`HOST`](x.md) there.', 1],
  ])('more than one code name in a sentence: %s', (_what, text, count) => {
    expect(faults(text)).toEqual([`more than 1 code name in ${count} sentences`]);
  });

  it.each([
    ['one a sentence', 'Set `PORT` first. `HOST` may stay. X marks `it`.'],
    ['items of a list', '- Set `PORT` to it.\n- Set `HOST` to it.'],
    ['a table', '| set `PORT` | and `HOST` |'],
    ['a heading', '## Set `PORT` and `HOST`'],
    ['a block of code', page('```md', 'Set `PORT` and `HOST`.', '```')],
  ])('nothing of %s', (_what, text) => {
    expect(faults(text)).toEqual([]);
  });

  it('lines of more than 120 characters', () => {
    expect(faults(`A line ${'long '.repeat(3)}.\n${'x'.repeat(120)}`)).toEqual([]);
    expect(faults(`A line.\n${'x'.repeat(121)}`)).toEqual(['more than 120 characters in line 2']);
  });
});
