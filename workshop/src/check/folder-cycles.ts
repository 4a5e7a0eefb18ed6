/**
 * No two folders import each other, not even by way of a third; a folder and the one it lies in are two
 * folders.
 */
import { posix } from 'node:path';
import type { ImportGraph } from './import-graph.js';
import type { Graph } from './knots.js';

/** Tests may look anywhere. */
const LEFT_OUT = /(^test\/|^workshop\/slow\/|\.test\.ts$|\/fixtures\/|node_modules\/)/;

/** Imports between folders: whoever imports, with those it imports. */
export function folderGraph(imports: ImportGraph): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [source, targets] of imports) {
    if (LEFT_OUT.test(source)) continue;
    const from = posix.dirname(source);
    const reached = graph.get(from) ?? new Set<string>();
    graph.set(from, reached);
    for (const { target, kind } of targets) {
      const to = posix.dirname(target);
      if (kind !== 'core' && !LEFT_OUT.test(target) && to !== from) reached.add(to);
    }
  }
  return graph;
}
