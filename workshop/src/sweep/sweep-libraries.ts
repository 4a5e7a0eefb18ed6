/** The requests of other libraries, and what the vault makes of them under a bot's rules. */
import type { RuleConditions } from '@countersign/vault/state/state.js';
import { judgeRequest, stateWith } from './judge-request.js';
import { LIBRARIES, type LibraryRequests } from './library-requests.js';
import type { SweptRequest } from './run-sweep.js';

export interface SweptLibrary {
  readonly library: string;
  readonly requests: readonly SweptRequest[];
}

/** "Look and cancel freely, trade these up to this much": with room for every size in the requests. */
function rulesOf({ venueId, symbols, contracts }: LibraryRequests): RuleConditions[] {
  const looking: RuleConditions = { operationClasses: ['read', 'cancel'] };
  const trading = { operationClasses: ['trade'] as const };
  if (venueId === 'coinbase_advanced') return [looking, trading];
  const sizes = { amount: { max: '0.01' }, quoteAmount: { max: '1000' } };
  const rules: RuleConditions[] = [
    looking,
    { ...trading, symbols, ...sizes },
    { ...trading, symbols: contracts, ...sizes, contracts: { max: '10' } },
  ];
  return rules.filter(({ symbols: named }) => named === undefined || named.length > 0);
}

export function sweepLibraries(): SweptLibrary[] {
  return LIBRARIES.map((library) => {
    const state = stateWith(rulesOf(library));
    const { venueId, keyType } = library;
    const requests = library.requests.map((request) => ({
      exchange: library.library,
      venueId,
      method: request.method,
      label: '',
      request,
      ...judgeRequest(state, venueId, request, keyType),
    }));
    return { library: library.library, requests };
  });
}
