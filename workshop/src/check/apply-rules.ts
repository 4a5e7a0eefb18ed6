/** Which imports the rules forbid. */
import type { ImportGraph, ImportKind } from './import-graph.js';
import type { ImportRule } from './import-rules.js';
import { findKnots, reachedFrom, type Graph } from './knots.js';

/** `to` is what `from` imports, or reaches where the rule is about that. */
export interface Fault {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

export function applyRules(imports: ImportGraph, rules: readonly ImportRule[]): Fault[] {
  const graph = new Map(
    [...imports].map(([source, found]) => [source, new Set(found.map(({ target }) => target))]),
  );
  const knotOf = new Map(
    findKnots(graph).flatMap((knot) => knot.map((member) => [member, knot] as const)),
  );
  const isCircular = (from: string, to: string): boolean => knotOf.get(from)?.includes(to) === true;
  return rules.flatMap((rule) =>
    [...imports.keys()].flatMap((from) => {
      const groups = groupsOf(from, rule.from);
      if (groups === undefined) return [];
      return lookedAt(imports, graph, from, rule)
        .filter(
          ({ target, kind }) =>
            groupsOf(target, rule.to, groups) !== undefined &&
            (kind === undefined || rule.to.kinds?.includes(kind) !== false) &&
            (rule.to.circular !== true || isCircular(from, target)),
        )
        .map(({ target }) => ({ rule: rule.name, from, to: target }));
    }),
  );
}

type Looked = { readonly target: string; readonly kind?: ImportKind };

function lookedAt(
  imports: ImportGraph,
  graph: Graph,
  from: string,
  rule: ImportRule,
): readonly Looked[] {
  if (rule.to.reachable !== true) return imports.get(from) ?? [];
  return [...reachedFrom(graph, from)].map((target) => ({ target }));
}

/** What the groups of `path` matched; undefined where a path is not meant. `groups` stand in the patterns as `$1`. */
function groupsOf(
  path: string,
  meant: ImportRule['from'],
  groups: readonly string[] = [],
): readonly string[] | undefined {
  const match = (patterns: string | readonly string[]) => regexOf(patterns, groups).exec(path);
  if (meant.pathNot !== undefined && match(meant.pathNot) !== null) return undefined;
  if (meant.path === undefined) return [];
  return match(meant.path)?.slice(1);
}

const regexes = new Map<string, RegExp>();

function regexOf(patterns: string | readonly string[], groups: readonly string[]): RegExp {
  const text = [patterns]
    .flat()
    .join('|')
    .replace(/\$(\d)/g, (_, group: string) => groups[Number(group) - 1] ?? '');
  const known = regexes.get(text) ?? new RegExp(text);
  regexes.set(text, known);
  return known;
}
