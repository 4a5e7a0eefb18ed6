/**
 * What this release knows of the world outside: venues with their tables, and blockchain networks. The next release
 * knows it better, so none of it may decide what an entry of the ledger means: nodes of two releases would fold one
 * log to two states. It is therefore given to what checks a request before it is appended and to what reads the state,
 * and never to `apply`.
 */
import type { CloudProvider } from '@countersign/api/requests/users.js';
import type { NetworkFamily } from '@countersign/core/vocabulary.js';
import type { MarketNames } from '@countersign/venues/engine/market-assets.js';
import type { Venue } from '@countersign/venues/engine/venue.js';

/** A network of the catalogue. */
export interface KnownNetwork {
  readonly is_testnet: boolean;
  readonly assets: readonly { readonly id: string; readonly symbol: string }[];
}

export interface Catalogues {
  findVenue(id: string): Venue | undefined;
  /** How the venue names its markets; undefined if that tells nothing, so that nothing there has a value in USD. */
  marketNamesAt(venueId: string): MarketNames | undefined;
  findNetwork(id: string): KnownNetwork | undefined;
  /** Ids of the networks that may be used now. */
  networkIds(testnetsEnabled: boolean): readonly string[];
  /** The family that the network belongs to; undefined for one that is not in the catalogue. */
  familyOfNetwork(id: string): NetworkFamily | undefined;
  /** The reason, for people, not to connect to this URL. */
  findDestinationFault(url: string): string | undefined;
  /** The reason, for people, why nobody could enrol as a new person of this provider, or of this `iss` there. */
  findSignInFault(provider: CloudProvider, issuer?: string): string | undefined;
  /** Ids of the family's networks that may be used now, in the order in which they are shown. */
  enabledNetworkIds(family: NetworkFamily, testnetsEnabled: boolean): readonly string[];
}
