/** What programs say is measured as pages are: what is found is what people are told. */
import { expect, it } from '@jest/globals';
import { textsIn, textsOfApi } from './read-texts.js';

it.each([
  ['a literal', "say('the queue of the party is full')", ['the queue of the party is full']],
  [
    'a template, with a name for each value',
    'say(`party ${number} has no key of ${id()}`)',
    ['party X has no key of X'],
  ],
  ['what JSX shows', '<p>The key {name} is\n  frozen now.</p>', ['The key X is frozen now.']],
  [
    'each element by itself',
    '<><b>One key is frozen.</b><i>Nobody signs with it.</i></>',
    ['One key is frozen.', 'Nobody signs with it.'],
  ],
  ['no label of three words', "say('the whole system')", []],
  ['no name in code', "import '@a/b/c.js'; say('a-b c-d e_f {g} h')", []],
  ['no table of names', "read('get-order get-orders list-fills list-trades')", []],
  ['no SQL', "ask('SELECT a, b, c FROM d WHERE e')", []],
  ['no style', "style('color: red; margin: 0 auto 1 2')", []],
])('finds %s', (_what, source, texts) => {
  expect(textsIn('source.tsx', source).toSorted()).toEqual(texts.toSorted());
});

it('finds each summary and description of an API once', () => {
  const document = {
    info: { description: 'The API.' },
    paths: { '/a': { get: { summary: 'Get A', description: 'The API.', operationId: 'a' } } },
    components: { schemas: { A: { properties: { description: { description: 'Of A.' } } } } },
  };
  expect(textsOfApi(document)).toBe('The API.\n\nGet A\n\nOf A.');
});
