/** Shows the facts of an order or a transaction that rules look at. */
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';

export function venueFactsView(venue: VenueFacts) {
  const { operationClass, endpoint, destinations, unknownBecause } = venue;
  const isUnread = operationClass === 'withdraw' && destinations === undefined;
  return {
    operation_class: operationClass,
    ...(unknownBecause !== undefined && { unknown_because: unknownBecause }),
    ...(endpoint !== '' && { endpoint }),
    symbols: [...venue.symbols],
    sides: [...venue.sides],
    amounts: [...venue.amounts],
    quote_amounts: [...venue.quoteAmounts],
    contracts: [...venue.contracts],
    ...(destinations !== undefined && { destinations: [...destinations] }),
    undecidable: [...venue.undecidable, ...(isUnread ? ['destinations'] : [])],
  };
}

export function transactionFactsView({ movements, unread }: TransactionFacts) {
  if (unread !== undefined) return { undecidable: ['assets', 'destinations'] };
  const isUnnamed = movements.some(({ assets }) => assets.length === 0);
  return {
    assets: [...new Set(movements.flatMap(({ assets }) => assets))],
    destinations: [...new Set(movements.map(({ destination }) => destination))],
    undecidable: isUnnamed ? ['assets'] : [],
  };
}
