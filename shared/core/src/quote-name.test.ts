import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.js';
import { quoteName } from './quote-name.js';

it('an ordinary name stands as it is, in quotes', () => {
  for (const name of ['display_name', 'X-Y.z:1/2', '', 'two words', 'a'.repeat(64)]) {
    expect(quoteName(name)).toBe(`"${name}"`);
  }
});

it('whatever the name, its quotation is short and of plain characters', () => {
  fc.assert(
    fc.property(anyText(100), (text) => {
      expect(quoteName(text)).toMatch(/^"[A-Za-z0-9_.:/[\] ?-]{0,64}(?:\.\.\.)?"$/);
    }),
  );
  expect(quoteName('a\u001b[31m"\r\n<b>')).toBe('"a?[31m????b?"');
});

it('a long name is cut where one can see it', () => {
  expect(quoteName('a'.repeat(300_000))).toBe(`"${'a'.repeat(64)}..."`);
});
