/** Checks that hold for the endpoint table of every venue whose signature covers the path. */
import { endpointName, type Endpoint } from '@countersign/venues/engine/endpoint-table.js';
import type { Venue, VenueKey, VenueRequest } from '@countersign/venues/engine/venue.js';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classOf, oneLetterOff } from './venue-checks.ts';

export interface TableUnderTest {
  readonly venue: Venue;
  readonly endpoints: readonly Endpoint[];
  readonly key: VenueKey;
  /** What to put in the place of `{names}`; `a1` otherwise. */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** Bodies of endpoints that need one, by name. */
  readonly bodies?: Readonly<Record<string, string>>;
}

/** The emptiest request that an endpoint takes. */
function requestFor(endpoint: Endpoint, table: TableUnderTest): VenueRequest {
  const path = endpoint.template.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => table.placeholders?.[name] ?? 'a1',
  );
  const body = table.bodies?.[endpointName(endpoint)] ?? '';
  return { method: endpoint.method, path, query: '', body, channel: endpoint.channel };
}

/** Which row takes a path, told apart from the code under test. */
function rowsFor(method: string, path: string, table: TableUnderTest): readonly Endpoint[] {
  return table.endpoints.filter((endpoint) => {
    const pattern = endpoint.template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
    return endpoint.method === method && new RegExp(`^${pattern}$`).test(path);
  });
}

const GRAVE = ['transfer', 'withdraw', 'key_admin', 'session'];

export function describeTable(table: TableUnderTest): void {
  const { venue, endpoints, key } = table;
  const onRest = endpoints.filter(({ channel }) => channel === 'rest');

  describe('the table', () => {
    test.each(endpoints.map((endpoint) => [endpointName(endpoint), endpoint] as const))(
      '%s has its class',
      (_, endpoint) => {
        const request = requestFor(endpoint, table);
        expect(classOf(venue, request, key)).toBe(endpoint.operationClass);
      },
    );

    test('a path that is one letter off is unknown, or another path of the table', () => {
      const changed = fc.constantFrom(...onRest).chain((endpoint) => {
        const request = requestFor(endpoint, table);
        return oneLetterOff(request.path).map((path) => ({ ...request, path, body: '' }));
      });
      fc.assert(
        fc.property(changed, (request) => {
          const rows = rowsFor(request.method, request.path, table);
          const possible = ['refused', 'unknown', ...rows.map((row) => row.operationClass)];
          expect(possible).toContain(classOf(venue, request, key));
        }),
        { numRuns: 1000 },
      );
    });

    test('no path that is one letter off one that moves funds reads or trades', () => {
      const grave = onRest.filter(({ operationClass }) => GRAVE.includes(operationClass));
      const changed = fc.constantFrom(...grave).chain((endpoint) => {
        const request = requestFor(endpoint, table);
        return oneLetterOff(request.path).map((path) => ({ ...request, path }));
      });
      fc.assert(
        fc.property(changed, (request) => {
          expect(['read', 'trade']).not.toContain(classOf(venue, request, key));
        }),
        { numRuns: 1000 },
      );
    });

    test('every class that the venue states can come out, and no other', () => {
      const classes = new Set<string>(endpoints.map((endpoint) => endpoint.operationClass));
      expect([...venue.operationClasses].toSorted()).toEqual([...classes, 'unknown'].toSorted());
    });
  });
}
