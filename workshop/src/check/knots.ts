/** Who reaches whom in a graph: each node with those it leads to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Each group of nodes that reach each other, sorted. */
export function findKnots(graph: Graph): string[][] {
  const reach = new Map(
    [...withoutEnds(graph).keys()].map((node) => [node, reachedFrom(graph, node)]),
  );
  const knots = new Map<string, string[]>();
  for (const [node, reached] of reach) {
    if (!reached.has(node)) continue;
    const knot = [...reached].filter((other) => reach.get(other)?.has(node) === true).toSorted();
    knots.set(knot.join(' '), knot);
  }
  return [...knots.values()];
}

/** Whoever can be reached from `start`, by one step or more. */
export function reachedFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of graph.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}

/** Nothing is left of a graph that has no knot: again and again, who leads to nobody left is taken away. */
function withoutEnds(graph: Graph): Graph {
  const left = new Map(graph);
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    for (const [node, next] of left) {
      if (![...next].some((other) => left.has(other))) left.delete(node);
    }
  }
  return left;
}
