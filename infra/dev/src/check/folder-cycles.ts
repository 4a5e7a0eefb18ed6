/**
 * No two folders import each other, not even by way of a third; a folder and the one it lies in are two
 * folders. dependency-cruiser's own folder rule leaves those two out, so the cycles are looked for here.
 */
import { posix } from 'node:path';

/** A source file and what it imports, as dependency-cruiser reports them. */
export interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string; readonly coreModule: boolean }[];
}

/** Imports between folders: whoever imports, with those it imports. */
export type FolderGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** Tests may look anywhere. */
const LEFT_OUT = /(^test\/|\.test\.ts$|\/fixtures\/|node_modules\/)/;

export function folderGraph(modules: readonly CruisedModule[]): FolderGraph {
  const graph = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    if (LEFT_OUT.test(source)) continue;
    const from = posix.dirname(source);
    const reached = graph.get(from) ?? new Set<string>();
    graph.set(from, reached);
    for (const { resolved, coreModule } of dependencies) {
      const to = posix.dirname(resolved);
      if (!coreModule && !LEFT_OUT.test(resolved) && to !== from) reached.add(to);
    }
  }
  return graph;
}

/** Each group of folders that reach each other, sorted. */
export function findKnots(graph: FolderGraph): string[][] {
  const reach = new Map([...graph.keys()].map((folder) => [folder, reachedFrom(graph, folder)]));
  const knots = new Map<string, string[]>();
  for (const [folder, reached] of reach) {
    if (!reached.has(folder)) continue;
    const knot = [...reached].filter((other) => reach.get(other)?.has(folder) === true).toSorted();
    knots.set(knot.join(' '), knot);
  }
  return [...knots.values()];
}

function reachedFrom(graph: FolderGraph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const next of graph.get(folder) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}
