/**
 * A venue (an exchange) as the vault sees it: how it wants requests signed, what its signature binds, and which of its
 * endpoints do what. Pure data and pure functions: the gateway and both parties run them over the same request and
 * must reach the same bytes.
 */
import type { Refusal } from '@countersign/core/errors.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type { SizeUnit, VenueCondition, VenueFacts } from './venue-facts.js';

export type VenueChannel = 'rest' | 'ws' | 'fix';

/** A request in the caller's form, before the vault adds clock, nonce, headers and signature. */
export interface VenueRequest {
  /** HTTP method; on `ws` and `fix` the venue's name of the operation. */
  readonly method: string;
  /** Raw, with its leading `/`, without query. Empty if the channel has none. */
  readonly path: string;
  /** Raw, without `?`, in the order in which it is sent. */
  readonly query: string;
  /** Raw text, as sent. */
  readonly body: string;
  readonly channel: VenueChannel;
}

/** The part of a key that a venue needs to know. */
export interface VenueKey {
  readonly type: KeyType;
  /** The key's identifier at the venue, e.g. the value of `X-MBX-APIKEY`. Not a secret here. */
  readonly apiKey: string;
}

/** Values that the vault chooses at the moment of signing. */
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

/** One request at one moment: the bytes for the key to sign, and the request around the signature. */
export interface Composed {
  readonly message: Uint8Array;
  /**
   * `signature`: raw bytes of the plan's scheme. `passphrase`: see {@link Venue.passphrase}, in the signer's form for
   * this venue; empty when the venue has none.
   */
  finish(signature: Uint8Array, passphrase: string): SignedVenueRequest;
}

/** A classified request that is ready to be composed for any moment. */
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

/** The part of a request in which something is found. */
export type RequestPart = 'path' | 'query' | 'body';

/** A parameter of a request, by the venue's name for it. */
export interface StatedParameter {
  readonly name: string;
  /** Its written text; JSON if it is a list or an object. */
  readonly value: string;
  readonly from: RequestPart;
}

/** One term of an order. */
export interface OrderTerm extends Omit<StatedParameter, 'from'> {
  readonly term: OrderTermName;
  /** `table`: it follows from the endpoint, or from the sign of an amount. */
  readonly from: RequestPart | 'table';
}

/** A venue request for people who are to approve it. It leaves out nothing. */
export interface OrderReading {
  /** `METHOD /path/template` as in the venue's table, empty when it is not in it. */
  readonly endpoint: string;
  /** The terms of each order or movement. */
  readonly orders: readonly (readonly OrderTerm[])[];
  /** All other parameters, unchanged. */
  readonly others: readonly StatedParameter[];
}

export interface Venue {
  /** e.g. `coinbase_advanced`. */
  readonly id: string;
  readonly displayName: string;
  /** The scheme that each accepted key type signs with. */
  readonly schemes: Readonly<Partial<Record<KeyType, SignatureScheme>>>;
  /** How the venue hands out HMAC secrets: an import in another encoding is refused. */
  readonly hmacSecretEncodings: readonly ('utf8' | 'hex' | 'base64')[];
  /**
   * The form of the venue's API keys, stated if a signed text contains the key. An `&` in one would begin other
   * parameters for whoever sends that text elsewhere. Undefined: anything that a header can carry.
   */
  readonly apiKeyPattern?: RegExp;
  /**
   * The third secret that some venues give. `plain`: sent unchanged; `hmac_sha256`: sent as base64 of
   * HMAC-SHA256(secret, passphrase), which the signing thread computes.
   */
  readonly passphrase?: 'plain' | 'hmac_sha256';
  /** The time unit of the number, rising with every request of the key, that the venue wants. */
  readonly nonce?: 'ms' | 'us';
  /** Parameters that only the vault sets: 422 if the caller states one, in any letter case. */
  readonly ownedParameters: readonly string[];
  /** Operation classes that a request can get, in the order of {@link OPERATION_CLASSES}. */
  readonly operationClasses: readonly OperationClass[];
  /** Why a rule with this condition cannot hold at this venue, or undefined when it can. */
  unbindable(condition: VenueCondition): string | undefined;
  /**
   * Checks form, classifies and prepares. A malformed or ambiguous request (duplicate parameter, wrong
   * percent-encoding, a parameter that the vault owns, a body where the venue signs none) is refused
   * with 422; an unknown endpoint or parameter name is a plan of class `unknown`.
   */
  plan(request: VenueRequest, key: VenueKey): VenuePlan | Refusal;
  /** The content of each order in the request, for people; 422 as in {@link plan} for a malformed one. */
  readOrders(request: VenueRequest): OrderReading | Refusal;
}
