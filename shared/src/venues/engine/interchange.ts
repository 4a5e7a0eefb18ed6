/**
 * What else a signature would be good for. Where a venue signs neither method nor path, a signature
 * over some parameters is valid at every endpoint that accepts them; the request is worth the most
 * severe of those, whatever endpoint the caller names.
 *
 * Limit: where the path is not signed, an endpoint without required parameters accepts every request, so
 * nothing can be told from names; such endpoints are left out and the venue's file lists what they do.
 */
import type { Endpoint, NamedClass } from './endpoint-table.js';

const SEVERITY: Readonly<Record<NamedClass, number>> = {
  read: 0,
  trade: 1,
  transfer: 2,
  withdraw: 3,
  key_admin: 3,
  // a login is known by its own form and is no alternative to another request
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
    const required = candidate.names?.required ?? [];
    if (!required.every((name) => names.has(name))) continue;
    if (worst === undefined || severityOf(candidate) > severityOf(worst)) worst = candidate;
  }
  return worst;
}

/** An endpoint that every request satisfies, so that nothing can be told from names. */
export function takesAnything(endpoint: Endpoint): boolean {
  return endpoint.names === undefined || endpoint.names.required.length === 0;
}

function severityOf(endpoint: Endpoint): number {
  return SEVERITY[endpoint.operationClass];
}
