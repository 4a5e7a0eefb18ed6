import { describe, expect, it } from '@jest/globals';
import { readImports } from './read-imports.js';

describe('what a source imports', () => {
  it.each([
    ['a name', "import { a } from './x.js';"],
    ['all of it', "import * as all from './x.js';"],
    ['nothing but to run it', "import './x.js';"],
    ['a type', "import type { A } from './x.js';"],
    ['a type beside nothing else', "import { type A } from './x.js';"],
    ['to give it on', "export { a } from './x.js';"],
    ['to give all of it on', "export * from './x.js';"],
    ['to give a type on', "export type { A } from './x.js';"],
    ['when it is needed', "const f = async () => (await import('./x.js')).a;"],
    ['by a text in backticks', 'await import(`./x.js`);'],
    ['as CommonJS does', "const a = require('./x.js');"],
    ['where only a type stands', "let a: import('./x.js').A;"],
    ['in the description of another module', "declare module 'm' { import { a } from './x.js'; }"],
  ])('%s', (_what, text) => {
    expect(readImports('a.ts', text)).toEqual(['./x.js']);
  });

  it('each once, of types and JSX beside code', () => {
    const text = `import { a, type B } from './a.js'; export type { C } from './a.js';
      const f = <T,>(x: T) => x satisfies T; import './b.js'; export const g = <p>{f(a)}</p>;`;
    expect(readImports('a.tsx', text)).toEqual(['./a.js', './b.js']);
  });

  it.each([
    ['a text or a comment', "const a = \"import './x.js'\"; // import './y.js'"],
    [
      'what is only known when it runs',
      'await import(name); require(name); await import(`${a}.js`);',
    ],
    ["a function's own name", 'require(holds); object.require(1);'],
  ])('not %s', (_what, text) => {
    expect(readImports('a.ts', text)).toEqual([]);
  });

  it('or says that it cannot tell', () => {
    expect(() => readImports('a.ts', 'import { from')).toThrow('a.ts: ');
  });
});
