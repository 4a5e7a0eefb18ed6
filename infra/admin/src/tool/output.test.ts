import { expect, it } from '@jest/globals';
import { jsonOf, tableOf, yamlOf } from './output.js';

it('a table is as wide as its cells, and a missing value is a dash', () => {
  const rows = [
    { id: 'a', name: 'long name', more: ['x'] },
    { id: 'bcd', name: null, more: undefined },
  ];
  expect(tableOf(rows, ['id', 'name', 'more'])).toBe(
    'ID   NAME       MORE\na    long name  ["x"]\nbcd  -          -\n',
  );
  expect(tableOf([], ['id', 'name'])).toBe('ID  NAME\n');
});

it('what a service says moves no cursor and forges no line', () => {
  const name = 'a\u001b[2J\u009b\u202e\nb';
  expect(tableOf([{ name }], ['name'])).toBe('NAME\na?[2J?? b\n');
  for (const one of ['\u001b', '\u009b', '\u202e']) expect(yamlOf({ name })).not.toContain(one);
  const tagged = { name: `${name}\u{e0041}` };
  expect(jsonOf(tagged)).toMatch(/^[\n -~]*$/);
  expect(JSON.parse(jsonOf(tagged))).toEqual(tagged);
});
