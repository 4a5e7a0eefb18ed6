import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefusal } from './errors.js';
import { quoteName } from './quote-name.js';
import { parseStrictJson } from './strict-json.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

function expectRefused(result: unknown, text?: string): void {
  expect(result).toEqual({ refused: 'parse_error', message: text ?? expect.any(String) });
}

describe('strict JSON', () => {
  it('reads what JSON.parse reads, to the same value', () => {
    const isProto = (text: string) => text.includes('__proto__');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!isProto(text));
        expect(parse(text)).toEqual({ value: JSON.parse(text) });
      }),
      { numRuns: 500 },
    );
  });

  it('accepts nothing that JSON.parse refuses, and never throws', () => {
    const fragment = fc.constantFrom(
      ...Array.from('{}[]",:\\\n 01-.eE'),
      'true',
      'null',
      '"a"',
      '"a":1',
      'u0061',
    );
    const texts = fc.oneof(
      fc.array(fragment).map((parts) => parts.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const result = parse(text);
        if (!isRefusal(result)) expect(JSON.parse(text)).toEqual(result.value);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(parseStrictJson(bytes)).toBeInstanceOf(Object);
      }),
    );
  });

  it('refuses a repeated key, however it is spelt and wherever it stands', () => {
    const key = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => text !== '__proto__');
    const escaped = (text: string) =>
      [...Array(text.length).keys()]
        .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join('');
    fc.assert(
      fc.property(key, fc.jsonValue(), fc.boolean(), (name, value, isEscaped) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        const again = isEscaped ? `"${escaped(name)}"` : JSON.stringify(name);
        const inner = `{${JSON.stringify(name)}:${JSON.stringify(value)},${again}:1}`;
        for (const text of [inner, `[1,${inner}]`, `{"outer":[{"a":${inner}}]}`]) {
          expectRefused(parse(text), `the body has the duplicate key ${quoteName(name)}`);
        }
      }),
    );
  });

  it('tells keys from values, and one object from the next', () => {
    for (const text of [
      '{"a":"a","b":"a"}',
      '[{"a":1},{"a":1}]',
      '{"a":{"a":{"a":1}},"b":{"a":1}}',
      '{"a":["a","a",{"a":"a"}]}',
      '{"a\\"":1,"a":2}',
      '{"a":"\\\\","b":"{\\"b\\":1,\\"b\\":2}"}',
    ]) {
      expect(parse(text)).toEqual({ value: JSON.parse(text) });
    }
  });

  it.each(['{"__proto__":1}', '{"\\u005f_proto__":1}', '[{"a":{"__proto__":null}}]'])(
    'refuses the key __proto__: %s',
    (text) => expectRefused(parse(text), 'the key "__proto__" is not allowed'),
  );

  it('takes "__proto__" as a value', () => {
    expect(parse('{"a":"__proto__"}')).toEqual({ value: { a: '__proto__' } });
  });

  it('reads 32 levels and refuses 33, and any number of them in no time', () => {
    expect(parse(nested(32))).toHaveProperty('value');
    const text = 'the body is nested deeper than 32 levels';
    expectRefused(parse(nested(33)), text);
    expectRefused(parse('{"a":'.repeat(33) + '1' + '}'.repeat(33)), text);
    // of the processor: what others do with it meanwhile is no time of the parser's
    const before = process.cpuUsage();
    expectRefused(parse('['.repeat(262_144)), text);
    expectRefused(parse(nested(131_072)), text);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
  });

  it.each<[string, Buffer]>([
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['utf-16', Buffer.from('{}', 'utf16le')],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['a surrogate as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a truncated character', Buffer.from([0x22, 0xe2, 0x82, 0x22])],
    ['a raw control character', Buffer.from('"a\nb"')],
    ['nothing', Buffer.alloc(0)],
    ['white space of other kinds', Buffer.from('\u00a0{}')],
  ])('refuses %s', (_name, bytes) => expectRefused(parseStrictJson(bytes)));
});
