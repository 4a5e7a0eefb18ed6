import type * as s from '@countersign/core/shapes.js';
import { timeView } from '@countersign/api/common-schema.js';
import { usedPriceView } from '@countersign/api/receipt.js';
import type { evaluation } from '@countersign/api/policy-schema.js';
import { sha256 } from '@countersign/core/hash.js';
import type { SigningFacts } from '@countersign/vault/policy/signing-policy.js';
import {
  transactionFactsView,
  venueFactsView,
} from '@countersign/vault/views/content-facts-view.js';
import { usdValueOf } from '@countersign/vault/policy/usd-value.js';

type View = s.InputOf<typeof evaluation>['facts'];

/** The facts that rules look at; `message`: the bytes of a raw signature, if they are known. */
export function factsView(facts: SigningFacts, message: Uint8Array | undefined): View {
  const { networkId, venueId, venue, transaction } = facts;
  return {
    operation: facts.operation,
    user_id: facts.initiator.id,
    received_at: timeView(facts.receivedAt),
    ...(networkId !== undefined && { network_id: networkId }),
    ...(venueId !== undefined && { venue_id: venueId }),
    undecidable: [],
    ...(venue !== undefined && venueFactsView(venue)),
    ...(transaction !== undefined && transactionFactsView(transaction)),
    ...usdView(facts),
    ...(message !== undefined && { message_sha256: sha256(message).toString('hex') }),
  };
}

/** Present only if USD values can be asked for. */
function usdView(facts: SigningFacts): Pick<View, 'usd_value'> {
  if (facts.prices === undefined) return {};
  const valued = usdValueOf(facts);
  switch (valued.result) {
    case 'none':
      return {};
    case 'valued':
      return { usd_value: { value: valued.value, prices: valued.prices.map(usedPriceView) } };
    default:
      return { usd_value: { reason: valued.reason, prices: [] } };
  }
}
