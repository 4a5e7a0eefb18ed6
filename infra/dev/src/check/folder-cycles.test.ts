import { describe, expect, it } from '@jest/globals';
import { findKnots, folderGraph, type CruisedModule } from './folder-cycles.js';

/** `a/x.ts > b/y.ts` lines. */
function modulesOf(...imports: string[]): CruisedModule[] {
  return imports.map((line) => {
    const [source = '', resolved = ''] = line.split(' > ');
    return { source, dependencies: [{ resolved, coreModule: false }] };
  });
}

const knotsOf = (...imports: string[]) => findKnots(folderGraph(modulesOf(...imports)));

describe('cycles between folders', () => {
  it('none where imports go one way', () => {
    expect(knotsOf('a/x.ts > b/y.ts', 'b/y.ts > c/z.ts', 'a/x.ts > c/z.ts')).toEqual([]);
  });

  it('files of one folder may import each other', () => {
    expect(knotsOf('a/x.ts > a/y.ts', 'a/y.ts > a/x.ts')).toEqual([]);
  });

  it.each([
    ['side by side', ['a/x.ts > b/y.ts', 'b/z.ts > a/w.ts'], ['a', 'b']],
    ['one in the other', ['a/x.ts > a/in/y.ts', 'a/in/z.ts > a/w.ts'], ['a', 'a/in']],
    [
      'by way of a third',
      ['a/x.ts > b/y.ts', 'b/z.ts > c/v.ts', 'c/u.ts > a/w.ts'],
      ['a', 'b', 'c'],
    ],
  ])('found: %s', (_what, imports, knot) => {
    expect(knotsOf(...imports)).toEqual([knot]);
  });

  it('each knot is told once, and folders beside it are not part of it', () => {
    const knots = knotsOf(
      'top/t.ts > a/x.ts',
      'a/x.ts > b/y.ts',
      'b/y.ts > a/w.ts',
      'b/y.ts > bottom/z.ts',
      'd/x.ts > e/y.ts',
      'e/y.ts > d/w.ts',
    );
    expect(knots).toEqual([
      ['a', 'b'],
      ['d', 'e'],
    ]);
  });

  it('tests, fixtures and packages do not count', () => {
    expect(knotsOf('a/x.ts > b/y.ts', 'b/y.test.ts > a/x.ts', 'b/fixtures/f.ts > a/x.ts')).toEqual(
      [],
    );
    expect(knotsOf('a/x.ts > node_modules/p/i.js', 'test/a.test.ts > a/x.ts')).toEqual([]);
  });
});
