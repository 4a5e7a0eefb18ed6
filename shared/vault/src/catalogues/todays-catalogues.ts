import { enabledNetworkIds, findNetwork } from '@countersign/chains/network-catalogue.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { Catalogues } from './catalogues.js';

/** The catalogues of this release. Out of the fold's reach: `fold-reaches-no-catalogue`. */
export const CATALOGUES: Catalogues = {
  findVenue,
  findNetwork,
  familyOfNetwork: (id) => findNetwork(id)?.family,
  enabledNetworkIds,
};
