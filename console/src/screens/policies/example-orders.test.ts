import { describe, expect, it } from '@jest/globals';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { judgeRequest, stateWith } from '../../../../workshop/src/sweep/judge-request.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import { VENUES } from '@countersign/venues/venue-catalogue.js';
import { exampleText, firstOrderAt, type ExampleOrder } from './example-orders.js';

function requestOf(venueId: string, order: ExampleOrder): VenueRequest {
  const { venue_request: request } = JSON.parse(exampleText({ id: 'key', venueId }, order, '')) as {
    venue_request: Partial<VenueRequest> & Pick<VenueRequest, 'method' | 'channel'>;
  };
  return { path: '', query: '', body: '', ...request };
}

/** Neither size nor market is bound by what is signed there. */
const UNBOUND = ['coinbase_advanced'];

describe.each(VENUES.map(({ id, schemes }) => [id, Object.keys(schemes)[0] as KeyType] as const))(
  'the example at %s',
  (venueId, keyType) => {
    const order = firstOrderAt(venueId)!;
    const judge = (changes: Partial<ExampleOrder>, amount: string) => {
      const when = UNBOUND.includes(venueId)
        ? {}
        : { symbols: [order.symbol], amount: { max: amount } };
      const state = stateWith([{ operationClasses: ['trade'], ...when }]);
      return judgeRequest(state, venueId, requestOf(venueId, { ...order, ...changes }), keyType);
    };

    it.each(['buy', 'sell'] as const)('is an order to %s, as rules read it', (side) => {
      expect(judge({ side }, '0.01')).toEqual({ operationClass: 'trade', isSigned: true });
    });

    if (UNBOUND.includes(venueId)) return;
    it('has the amount and the market that were given', () => {
      expect(judge({ amount: '0.02' }, '0.01').isSigned).toBe(false);
      expect(judge({ amount: '0.02' }, '0.02').isSigned).toBe(true);
      const other = order.symbol.replace(/BTC|XBT|btc/, (base) => (base === 'btc' ? 'eth' : 'ETH'));
      expect(judge({ symbol: other }, '0.01').isSigned).toBe(false);
    });
  },
);

it('names who asks, and is a message where the key has no venue', () => {
  const text = exampleText({ id: 'key', venueId: null }, undefined, 'bot');
  expect(JSON.parse(text)).toEqual({
    user_id: 'bot',
    operation: 'raw_sign',
    key_id: 'key',
    message: 'YW4gZXhhbXBsZQ==',
  });
});
