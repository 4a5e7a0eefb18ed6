/** What a request that fits no route may have meant: the commonest mistakes are named. It repeats nothing of it. */
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { matchPath } from '@countersign/vault/operations/operation-input.js';
import { NO_ROUTE, type Route } from './route.js';

type Target = Pick<Route, 'method' | 'path'>;

/** 404 for a path or method that nobody serves. `path`: raw. */
export function refuseUnrouted(routes: readonly Target[], path: string): Refusal {
  const methods = methodsAt(routes, path);
  if (methods.length > 0) {
    return refuse('not_found', `${NO_ROUTE.message}: this path takes ${methods.join(', ')} alone`);
  }
  return path.endsWith('/') && methodsAt(routes, path.slice(0, -1)).length > 0
    ? refuse('not_found', `${NO_ROUTE.message}: the path has a slash too many at its end`)
    : NO_ROUTE;
}

function methodsAt(routes: readonly Target[], path: string): string[] {
  const there = routes.filter((route) => matchPath(route.path, path) !== undefined);
  return [...new Set(there.map(({ method }) => method))].toSorted();
}
