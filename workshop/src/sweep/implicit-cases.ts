/** Every endpoint of an exchange that ccxt knows by its path, used by bots as `exchange.privatePostSomething()`. */
import type { Desk } from './desks.js';
import type { OfflineExchange } from './offline-exchange.js';
import type { SweepCase } from './unified-cases.js';

const METHODS = ['get', 'post', 'put', 'delete', 'patch'];
/** In the place of what a path leaves open. */
const WORD = 'a1';

interface Route {
  readonly groups: readonly string[];
  readonly method: string;
  readonly path: string;
}

export function implicitCases(desk: Desk, exchange: OfflineExchange): SweepCase[] {
  return routesUnder(exchange.api, []).map((route) => ({
    exchange: desk.ccxt,
    method: [...route.groups, route.method].join(' '),
    label: route.path,
    said: [],
    run: (on) => {
      const { groups, method, path } = route;
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, WORD] as const);
      const api = groups.length > 1 ? groups : groups[0]!;
      const signed = on.sign(path, api, method.toUpperCase(), Object.fromEntries(names));
      return on.fetch(signed.url, signed.method, signed.headers, signed.body);
    },
  }));
}

/** `api` of ccxt: groups within groups, then methods, then paths as a list or as the keys of their costs. */
function routesUnder(api: object, groups: readonly string[]): Route[] {
  return Object.entries(api).flatMap(([name, below]: [string, object]) => {
    if (!METHODS.includes(name)) return routesUnder(below, [...groups, name]);
    const paths: readonly string[] = Array.isArray(below) ? below : Object.keys(below);
    return paths.map((path) => ({ groups, method: name, path }));
  });
}
