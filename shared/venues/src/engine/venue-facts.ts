/** What policy may look at in a request to a venue. */
import type { OperationClass } from '@countersign/core/vocabulary.js';

/** Parts of a request that the venue's signature covers. `session`: nothing that follows a login is covered. */
export type Binding = 'method' | 'host' | 'path' | 'query' | 'body' | 'time' | 'nonce' | 'session';

/** The facts that policy may look at. An empty list: this request has no such fact. */
export interface VenueFacts {
  readonly venueId: string;
  readonly operationClass: OperationClass;
  /** `METHOD /path/template` as in the venue's table, e.g. `POST /api/v3/order`; empty when unknown. */
  readonly endpoint: string;
  /** In the venue's spelling. A batch has several. */
  readonly symbols: readonly string[];
  readonly sides: readonly ('buy' | 'sell')[];
  /** Sizes in units of the traded or moved asset. Decimal strings, as those of the two other units. */
  readonly amounts: readonly string[];
  /** Sizes in units of the market's quote asset, e.g. of a purchase by its cost. */
  readonly quoteAmounts: readonly string[];
  /** Sizes in contracts, whose worth depends on the market. */
  readonly contracts: readonly string[];
  /**
   * Class `withdraw` alone: the address, followed by `#` and the tag or memo if it names one. Absent if the request
   * does not say so in a way that can be compared.
   */
  readonly destinations?: readonly string[];
  /**
   * Facts that the request has and nobody can compare. `amount`: a size in no known unit. A rule that states a
   * condition on one of them denies the whole request.
   */
  readonly undecidable: readonly ('symbols' | 'sides' | 'amount')[];
  readonly binds: readonly Binding[];
  /** Class `unknown` alone: the endpoint or parameter that made it so. Public text. */
  readonly unknownBecause?: string | undefined;
}

/** A policy condition about a part of the request. */
export type VenueCondition = 'endpoints' | 'symbols' | 'sides' | 'destinations' | SizeUnit;

/** The unit of a size: the traded or moved asset, the market's quote asset, or contracts. */
export type SizeUnit = 'amount' | 'quote_amount' | 'contracts';
