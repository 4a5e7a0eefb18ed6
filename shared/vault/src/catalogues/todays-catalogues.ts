import { NETWORK_FAMILIES } from '@countersign/core/vocabulary.js';
import { findDestinationFault } from '@countersign/core/public-destination.js';
import { enabledNetworkIds, findNetwork } from '@countersign/chains/network-catalogue.js';
import { MARKET_NAMES } from '@countersign/venues/tables/market-names.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { Catalogues } from './catalogues.js';

/** The catalogues of this release. The fold cannot reach them: `fold-reaches-no-catalogue`. */
export const CATALOGUES: Catalogues = {
  findVenue,
  marketNamesAt: (id) => (Object.hasOwn(MARKET_NAMES, id) ? MARKET_NAMES[id] : undefined),
  findNetwork,
  networkIds: (testnetsEnabled) =>
    NETWORK_FAMILIES.flatMap((family) => enabledNetworkIds(family, testnetsEnabled)),
  familyOfNetwork: (id) => findNetwork(id)?.family,
  enabledNetworkIds,
  findDestinationFault: (url) => findDestinationFault(url, { isLoopbackAllowed: false }),
  // no catalogue has a deployment's providers: a gateway puts its own here
  findSignInFault: () => undefined,
};

/** As {@link CATALOGUES}, for a vault on one machine whose receivers of events are there too. */
export const DEVELOPMENT_CATALOGUES: Catalogues = {
  ...CATALOGUES,
  findDestinationFault: (url) => findDestinationFault(url, { isLoopbackAllowed: true }),
};
