import { describe, expect, it } from '@jest/globals';
import { folderGraph } from './folder-cycles.js';
import type { Import, ImportGraph } from './import-graph.js';
import { findKnots } from './knots.js';

/** `a/x.ts > b/y.ts` lines. */
function importsOf(...lines: string[]): ImportGraph {
  const graph = new Map<string, Import[]>();
  for (const line of lines) {
    const [source = '', target = ''] = line.split(' > ');
    graph.set(source, [...(graph.get(source) ?? []), { target, kind: 'local' }]);
  }
  return graph;
}

const knotsOf = (...imports: string[]) => findKnots(folderGraph(importsOf(...imports)));

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

  it("a module of Node's is no folder, whatever its name", () => {
    const imports = new Map([['a/x.ts', [{ target: 'fs/promises', kind: 'core' as const }]]]);
    expect(folderGraph(imports)).toEqual(new Map([['a', new Set()]]));
  });

  it('tests, fixtures and packages do not count', () => {
    expect(knotsOf('a/x.ts > b/y.ts', 'b/y.test.ts > a/x.ts', 'b/fixtures/f.ts > a/x.ts')).toEqual(
      [],
    );
    expect(knotsOf('a/x.ts > node_modules/p/i.js', 'test/a.test.ts > a/x.ts')).toEqual([]);
  });
});
