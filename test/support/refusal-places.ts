/** Where the code that the fold reaches refuses something, by its sources. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { readImportGraph } from '../../workshop/src/check/import-graph.ts';
import { BUILT } from '../../workshop/src/check/import-rules.ts';
import { reachedFrom } from '../../workshop/src/check/knots.ts';

/**
 * Each call of `refuse` or `deny` inside a function, as `path:line:column` from the root of the repository. A call
 * outside of all functions is made once, when its module is loaded: it cannot throw when something is judged.
 */
export function refusalPlaces(): string[] {
  const imports = readImportGraph(['shared'], BUILT);
  const graph = new Map(
    [...imports].map(([path, found]) => [path, new Set(found.map(({ target }) => target))]),
  );
  const fold = 'shared/vault/src/ledger/fold.ts';
  const reached = [fold, ...reachedFrom(graph, fold)].filter((path) => imports.has(path));
  return [...new Set(reached)].flatMap(placesIn).toSorted();
}

function placesIn(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found: number[] = [];
  let depth = 0;
  const [enter, leave] = [() => void (depth += 1), () => void (depth -= 1)];
  new Visitor({
    ...{ FunctionDeclaration: enter, FunctionExpression: enter, ArrowFunctionExpression: enter },
    'FunctionDeclaration:exit': leave,
    'FunctionExpression:exit': leave,
    'ArrowFunctionExpression:exit': leave,
    CallExpression({ start, callee }) {
      const isRefusal = callee.type === 'Identifier' && ['refuse', 'deny'].includes(callee.name);
      if (isRefusal && depth > 0) found.push(start);
    },
  }).visit(parseSync(path, text).program);
  return found.map((start) => {
    const before = text.slice(0, start).split('\n');
    return `${path}:${before.length}:${before.at(-1)!.length + 1}`;
  });
}

/** A place in a stack trace, told in the same way; undefined for a line that names none. */
export function placeOfFrame(frame: string): string | undefined {
  const [, path = '', at = ''] = /([^\s()]+?):(\d+:\d+)\)?$/.exec(frame) ?? [];
  const root = `${resolve('.')}/`;
  return path.startsWith(root) ? `${path.slice(root.length)}:${at}` : undefined;
}
