/**
 * Finds what else a signature would be good for. If a venue signs neither method nor path, a signature over some
 * parameters is valid at every endpoint that accepts them. The request is then worth the most severe of those,
 * whatever endpoint the caller names.
 *
 * Limit: if the path is not signed, an endpoint without required parameters accepts every request, so nothing can be
 * told from names. Such endpoints are left out, and the venue's file lists what they do.
 */
import type { Endpoint, NamedClass } from './endpoint-table.js';

const SEVERITY: Readonly<Record<NamedClass, number>> = {
  read: 0,
  cancel: 1,
  trade: 2,
  transfer: 3,
  withdraw: 4,
  key_admin: 4,
  // a login has its own form and is no alternative to another request
  session: -1,
};

/** The classes that move funds or change what the key may do. */
export function isGrave(operationClass: NamedClass): boolean {
  return SEVERITY[operationClass] >= SEVERITY.transfer;
}

/**
 * The most severe of `named` and of the candidates whose required parameters are among `names`.
 * `named` is undefined for a request that is off the table.
 */
export function mostSevere(
  named: Endpoint | undefined,
  candidates: readonly Endpoint[],
  names: ReadonlySet<string>,
): Endpoint | undefined {
  let worst = named;
  for (const candidate of candidates) {
    if (!isSatisfied(candidate, names)) continue;
    if (worst === undefined || severityOf(candidate) > severityOf(worst)) worst = candidate;
  }
  return worst;
}

function isSatisfied({ names: wanted }: Endpoint, given: ReadonlySet<string>): boolean {
  if (wanted === undefined) return true;
  return (
    wanted.required.every((name) => given.has(name)) &&
    wanted.anyOf.every((group) => group.some((name) => given.has(name)))
  );
}

/** The most severe endpoint, worse than `named`, that `names` satisfy and that `accepts` takes. */
export type WorseFinder = (
  named: Endpoint | undefined,
  names: ReadonlySet<string>,
  accepts: (candidate: Endpoint) => boolean,
) => Endpoint | undefined;

/**
 * Searches endpoints that ask for something; the first search sorts them. It goes tier by tier, the worst first.
 * Within a tier each endpoint is found by the name that the fewest others ask for, so that an order among hundreds of
 * endpoints meets a handful of them.
 */
export function createWorseFinder(endpoints: readonly Endpoint[]): WorseFinder {
  let tiers: readonly Tier[] | undefined;
  return (named, names, accepts) => {
    for (const { severity, byName } of (tiers ??= tiersOf(endpoints))) {
      if (named !== undefined && severityOf(named) >= severity) return undefined;
      for (const name of names) {
        const found = byName
          .get(name)
          ?.find((candidate) => isSatisfied(candidate, names) && accepts(candidate));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
}

interface Tier {
  readonly severity: number;
  readonly byName: ReadonlyMap<string, readonly Endpoint[]>;
}

function tiersOf(endpoints: readonly Endpoint[]): Tier[] {
  const asking = endpoints.filter((endpoint) => !takesAnything(endpoint));
  const severities = [...new Set(asking.map(severityOf))].toSorted((a, b) => b - a);
  return severities.map((severity) => ({
    severity,
    byName: indexByName(asking.filter((endpoint) => severityOf(endpoint) === severity)),
  }));
}

function indexByName(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const askers = new Map<string, number>();
  for (const name of endpoints.flatMap(askedNames)) askers.set(name, (askers.get(name) ?? 0) + 1);
  const byName = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    for (const name of keyNames(endpoint, askers)) {
      byName.set(name, [...(byName.get(name) ?? []), endpoint]);
    }
  }
  return byName;
}

function askedNames({ names }: Endpoint): string[] {
  return names === undefined ? [] : [...names.required, ...names.anyOf.flat()];
}

/** A request that satisfies the endpoint has at least one of these names. */
function keyNames({ names }: Endpoint, askers: ReadonlyMap<string, number>): readonly string[] {
  const required = names?.required ?? [];
  const rarest = required.toSorted((a, b) => (askers.get(a) ?? 0) - (askers.get(b) ?? 0))[0];
  return rarest === undefined ? (names?.anyOf[0] ?? []) : [rarest];
}

/** Whether every request satisfies the endpoint, so that nothing can be told from names. */
function takesAnything(endpoint: Endpoint): boolean {
  return isSatisfied(endpoint, new Set());
}

function severityOf(endpoint: Endpoint): number {
  return SEVERITY[endpoint.operationClass];
}
