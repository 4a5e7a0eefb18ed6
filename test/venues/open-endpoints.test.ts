/**
 * Endpoints whose row does not list their parameter names. Such an endpoint may ignore what a rule would
 * look at, so that only its class and its name can decide.
 */
import { describe, expect, test } from '@jest/globals';
import { defineVenue, type VenueDefinition } from '@countersign/venues/engine/define-venue.js';
import { endpoints } from '@countersign/venues/engine/endpoint-table.js';
import { formBody } from '@countersign/venues/engine/request-body.js';
import { planOf, restRequest } from '../support/venue-checks.ts';

const KEY = { type: 'hmac', apiKey: 'key' } as const;
const fields = { symbols: ['symbol'], amounts: ['qty'] };

function venueOf(rows: VenueDefinition['endpoints']) {
  return defineVenue({
    id: 'venue',
    displayName: 'Venue',
    schemes: { hmac: 'hmac_sha256' },
    hmacSecretEncodings: ['utf8'],
    endpoints: rows,
    fields,
    termNames: {},
    binds: { rest: ['query'] },
    unsignedParts: 'method',
    ownedParameters: [],
    readBody: formBody,
    prepare: () => () => {
      throw new Error('not composed here');
    },
  });
}

describe('an endpoint without a list of parameter names', () => {
  const EVERYTHING = {
    symbols: [],
    sides: [],
    amounts: [],
    undecidable: ['symbols', 'sides', 'amount'],
  };
  const planAt = (rows: VenueDefinition['endpoints'], line: string, query: string) =>
    planOf(venueOf(rows), restRequest(line, { query }), KEY).facts;

  test.each(['trade', 'transfer', 'withdraw', 'key_admin'] as const)(
    'leaves everything open where it does a %s, whatever its row says of fields',
    (operationClass) => {
      for (const options of [{}, { fields }, { fields: {} }]) {
        const rows = endpoints(operationClass, ['query'], ['POST /do'], options);
        expect(planAt(rows, 'POST /do', 'symbol=A&qty=1')).toMatchObject({
          operationClass,
          ...EVERYTHING,
        });
      }
    },
  );

  test('tells what it reads', () => {
    const rows = endpoints('read', ['query'], ['GET /list']);
    const facts = planAt(rows, 'GET /list', 'symbol=A');
    expect(facts).toMatchObject({ symbols: ['A'], undecidable: [] });
  });

  test('leaves a read open whose signature is good for it', () => {
    const rows = [
      ...endpoints('read', ['query'], { 'GET /order': 'symbol' }),
      ...endpoints('trade', ['query'], ['DELETE /order']),
    ];
    expect(planAt(rows, 'GET /order', 'symbol=A')).toMatchObject({
      operationClass: 'trade',
      ...EVERYTHING,
    });
  });

  test('leaves nothing open where it takes no parameters: the path tells', () => {
    const rows = endpoints('trade', [], ['DELETE /orders/{symbol}']);
    expect(planAt(rows, 'DELETE /orders/A', '')).toMatchObject({
      symbols: ['A'],
      undecidable: [],
    });
  });
});
