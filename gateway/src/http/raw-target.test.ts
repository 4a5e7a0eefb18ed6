import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.js';
import { parseRawTarget } from './raw-target.js';

describe('a raw request target', () => {
  it.each([
    ['/v1/users', '/v1/users', ''],
    ['/v1/users?', '/v1/users', ''],
    ['/v1/users?a=1&b=2', '/v1/users', 'a=1&b=2'],
    ['/v1/users?a?b=/../', '/v1/users', 'a?b=/../'],
    ['/v1/users/', '/v1/users/', ''],
    ['/', '/', ''],
    ['/%61%62', '/%61%62', ''],
    ['/a%20b', '/a%20b', ''],
    ['/...', '/...', ''],
    ['/..a/b..', '/..a/b..', ''],
    ['/%252e%252e', '/%252e%252e', ''],
    ['/a?%zz', '/a', '%zz'],
  ])('%s keeps its bytes', (target, path, query) => {
    expect(parseRawTarget(target)).toEqual({ path, query });
  });

  it.each([
    '',
    '*',
    'v1/users',
    '?a=1',
    'http://evil/v1/users',
    '//',
    '//v1',
    '/v1//users',
    '/v1/users//',
    '/.',
    '/..',
    '/./',
    '/a/../b',
    '/a/..',
    '/%2e',
    '/%2e%2E/',
    '/.%2e',
    '/a%2fb',
    '/a%2Fb',
    '/a%5cb',
    '/a\\b',
    '/a%00',
    '/%',
    '/%a',
    '/%zz',
    '/%ff',
    '/%c0%af',
    '/a#b',
    '/a?b#c',
    '/a b',
    '/a"b',
    '/\u00e9',
    '/a\n',
    '/a\t',
  ])('%j is refused', (target) => {
    expect(parseRawTarget(target)).toMatchObject({ refused: 'parse_error' });
  });

  it('that is accepted is whole: path, ? and query are the target', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\/[\x20-\x7e]{0,30}$/), (target) => {
        const result = parseRawTarget(target);
        if (isRefusal(result)) return;
        const joined = target.includes('?') ? `${result.path}?${result.query}` : result.path;
        expect(joined).toBe(target);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that is accepted leads a normalising parser to the same path', () => {
    const piece = fc.constantFrom('/', '.', '..', '%2e', '%2F', '%5c', '\\', 'a', '%61', '?', '#');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const target = `/${pieces.join('')}`;
        const result = parseRawTarget(target);
        if (isRefusal(result)) return;
        expect(new URL(target, 'http://vault').pathname).toBe(result.path);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never a reason to throw', () => {
    fc.assert(
      fc.property(anyText(), (target) => {
        expect(parseRawTarget(target)).toBeInstanceOf(Object);
      }),
    );
  });
});
