import { expect, it } from '@jest/globals';
import { readableJson, visibleText } from './visible-text.js';

it.each([
  ['Treasury', 'Treasury'],
  ['two\nlines', 'two\nlines'],
  ['ends\u202edesrever', 'ends\\u{202e}desrever'],
  ['zero\u200bwidth', 'zero\\u{200b}width'],
  ['\u0007bell\u2028', '\\u{7}bell\\u{2028}'],
  ['<img src=x>', '<img src=x>'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it('JSON is on several lines, and what is none stays', () => {
  expect(readableJson('{"a":"\u202eb"}')).toBe('{\n  "a": "\\u{202e}b"\n}');
  expect(readableJson('no JSON\u202e')).toBe('no JSON\\u{202e}');
});
