import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseTraceparent, traceparentOf } from './traceparent.js';

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

it.each([
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [`00-${TRACE}-${SPAN}-03`, 1],
])('%s is a place in a trace', (text, traceFlags) => {
  const place = { traceId: TRACE, spanId: SPAN, traceFlags };
  expect(parseTraceparent(text)).toEqual(place);
  expect(parseTraceparent(traceparentOf(place))).toEqual(place);
});

it.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['another version', `01-${TRACE}-${SPAN}-01`],
  ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['more behind it', `00-${TRACE}-${SPAN}-01-`],
  ['a line behind it', `00-${TRACE}-${SPAN}-01\n`],
  ['several', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
])('%s is none', (_what, text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

it('whatever is read is written as it was, but for flags that nobody here knows', () => {
  const hex = (length: number) =>
    fc.string({
      unit: fc.constantFrom(...'0123456789abcdef'.split('')),
      minLength: length,
      maxLength: length,
    });
  fc.assert(
    fc.property(hex(2), hex(32), hex(16), hex(2), (version, trace, span, flags) => {
      const text = `${version === 'ff' ? 'ff' : '00'}-${trace}-${span}-${flags}`;
      const place = parseTraceparent(text);
      if (place !== undefined) expect(traceparentOf(place).slice(0, 53)).toBe(text.slice(0, 53));
    }),
  );
});
