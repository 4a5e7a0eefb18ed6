/**
 * What a venue (an exchange) is to the vault: how it wants requests signed, what its signature binds,
 * and which of its endpoints do what. Pure data and pure functions: the gateway and both parties run
 * them over the same request and must come to the same bytes.
 */
import type { Refusal } from '@countersign/core/errors.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { OperationClass } from '@countersign/core/vocabulary.js';

/** Parts of a request that the venue's signature covers. `session`: nothing of what follows a login. */
export type Binding = 'method' | 'host' | 'path' | 'query' | 'body' | 'time' | 'nonce' | 'session';

export type VenueChannel = 'rest' | 'ws' | 'fix';

/** A request as the caller wants it sent, before the vault adds clock, nonce, headers and signature. */
export interface VenueRequest {
  /** HTTP method; on `ws` and `fix` the venue's name of the operation. */
  readonly method: string;
  /** Raw, with its leading `/`, without query. Empty where the channel has none. */
  readonly path: string;
  /** Raw, without `?`, in the order in which it is sent. */
  readonly query: string;
  /** Raw text, as sent. */
  readonly body: string;
  readonly channel: VenueChannel;
}

/** What a venue needs to know of the key. */
export interface VenueKey {
  readonly type: KeyType;
  /** The key's identifier at the venue, e.g. the value of `X-MBX-APIKEY`. Not a secret here. */
  readonly apiKey: string;
}

/** What the vault chooses at the moment of signing. */
export interface SigningMoment {
  /** ms since the Unix epoch. */
  readonly at: number;
  /** Above every nonce this key was ever given; 0n for venues without {@link Venue.nonce}. */
  readonly nonce: bigint;
  /** UUID, fresh for every signed request: for venues that want something unique. */
  readonly requestId: string;
}

/** The complete request, ready to be sent. */
export interface SignedVenueRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One request at one moment: what the key signs, and the request around the signature. */
export interface Composed {
  readonly message: Uint8Array;
  /**
   * `signature`: raw bytes of the plan's scheme. `passphrase`: see {@link Venue.passphrase}, as the
   * signer gives it for this venue; empty when the venue has none.
   */
  finish(signature: Uint8Array, passphrase: string): SignedVenueRequest;
}

/** What policy may look at. An empty list: this request carries no such thing. */
export interface VenueFacts {
  readonly venueId: string;
  readonly operationClass: OperationClass;
  /** `METHOD /path/template` as in the venue's table, e.g. `POST /api/v3/order`; empty when unknown. */
  readonly endpoint: string;
  /** As the venue writes them. A batch has several. */
  readonly symbols: readonly string[];
  readonly sides: readonly ('buy' | 'sell')[];
  /** Sizes in units of the traded or moved asset. Decimal strings, as those of the two other units. */
  readonly amounts: readonly string[];
  /** Sizes in units of what the market is quoted in, e.g. of a purchase by its cost. */
  readonly quoteAmounts: readonly string[];
  /** Sizes in contracts, whose worth is the market's. */
  readonly contracts: readonly string[];
  /**
   * Of class `withdraw` alone: where it goes, an address with `#` and the tag or memo behind it where it names one.
   * Absent where the request does not say so in a way that can be compared.
   */
  readonly destinations?: readonly string[];
  /**
   * Facts that the request carries and nobody can compare. `amount`: a size in no known unit. A rule that states a
   * condition on one of them denies the whole request.
   */
  readonly undecidable: readonly ('symbols' | 'sides' | 'amount')[];
  readonly binds: readonly Binding[];
  /** Of class `unknown`: the endpoint or parameter that made it so. Public text. */
  readonly unknownBecause?: string | undefined;
}

/** A classified request that is ready to be composed at any moment. */
export interface VenuePlan {
  readonly facts: VenueFacts;
  readonly scheme: SignatureScheme;
  compose(moment: SigningMoment): Composed;
}

/** `size`: in a unit that the request alone does not tell. */
export type OrderTermName =
  | 'symbol'
  | 'side'
  | 'order_type'
  | SizeUnit
  | 'size'
  | 'price'
  | 'trigger_price'
  | 'client_id';

/** Where something stands in a request. */
export type RequestPart = 'path' | 'query' | 'body';

/** A parameter of a request, by the venue's name for it. */
export interface StatedParameter {
  readonly name: string;
  /** As it is written there; JSON where it is a list or an object. */
  readonly value: string;
  readonly from: RequestPart;
}

/** One thing that an order says. */
export interface OrderTerm extends Omit<StatedParameter, 'from'> {
  readonly term: OrderTermName;
  /** `table`: it follows from the endpoint, or from the sign of an amount. */
  readonly from: RequestPart | 'table';
}

/** A venue request as somebody reads it who is to approve it. Nothing that it holds is left out. */
export interface OrderReading {
  /** `METHOD /path/template` as in the venue's table, empty when it is not in it. */
  readonly endpoint: string;
  /** The terms of each order or movement. */
  readonly orders: readonly (readonly OrderTerm[])[];
  /** Everything that is no term of them, as it stands there. */
  readonly others: readonly StatedParameter[];
}

/** A policy condition that speaks of a part of the request. */
export type VenueCondition = 'endpoints' | 'symbols' | 'sides' | 'destinations' | SizeUnit;

/** What a size counts: the traded or moved asset, what the market is quoted in, or contracts. */
export type SizeUnit = 'amount' | 'quote_amount' | 'contracts';

export interface Venue {
  /** e.g. `coinbase_advanced`. */
  readonly id: string;
  readonly displayName: string;
  /** The scheme that each accepted key type signs with. */
  readonly schemes: Readonly<Partial<Record<KeyType, SignatureScheme>>>;
  /** How the venue hands out HMAC secrets: an import in another encoding is refused. */
  readonly hmacSecretEncodings: readonly ('utf8' | 'hex' | 'base64')[];
  /**
   * What the venue's API keys are made of, stated where the key stands in a signed text: one with an `&`
   * in it would be parameters of its own to whoever sends that text elsewhere. Undefined: anything that a
   * header can carry.
   */
  readonly apiKeyPattern?: RegExp;
  /**
   * The third secret some venues give. `plain`: sent as it is; `hmac_sha256`: sent as base64 of
   * HMAC-SHA256(secret, passphrase), which the signing thread computes.
   */
  readonly passphrase?: 'plain' | 'hmac_sha256';
  /** The venue wants a number that rises with every request of the key: its unit of time. */
  readonly nonce?: 'ms' | 'us';
  /** Parameters that only the vault sets; stated by the caller in any letter case: 422. */
  readonly ownedParameters: readonly string[];
  /** Operation classes that a request can come to, in the order of {@link OPERATION_CLASSES}. */
  readonly operationClasses: readonly OperationClass[];
  /** Why a rule with this condition cannot hold at this venue, or undefined when it can. */
  unbindable(condition: VenueCondition): string | undefined;
  /**
   * Checks form, classifies and prepares. A malformed or ambiguous request (duplicate parameter, wrong
   * percent-encoding, a parameter that the vault owns, a body where the venue signs none) is refused
   * with 422; an unknown endpoint or parameter name is a plan of class `unknown`.
   */
  plan(request: VenueRequest, key: VenueKey): VenuePlan | Refusal;
  /** What the request says of each order in it, for people; 422 as {@link plan} for a malformed one. */
  readOrders(request: VenueRequest): OrderReading | Refusal;
}
