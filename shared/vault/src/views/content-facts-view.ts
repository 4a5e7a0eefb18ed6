/** What rules look at in an order or a transaction, as it is shown. */
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { VenueFacts } from '@countersign/venues/engine/venue.js';

export function venueFactsView(venue: VenueFacts) {
  const { operationClass, endpoint, destinations } = venue;
  const isUnread = operationClass === 'withdraw' && destinations === undefined;
  return {
    operation_class: operationClass,
    ...(endpoint !== '' && { endpoint }),
    symbols: [...venue.symbols],
    sides: [...venue.sides],
    amounts: [...venue.amounts],
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
