/** The definition in a venue's own file, and a request whose form is right. */
import type { Refusal } from '@countersign/core/errors.js';
import type { Endpoint } from './endpoint-table.js';
import type { RequestBody } from './request-body.js';
import type { FactFields } from './request-facts.js';
import type {
  Composed,
  SigningMoment,
  Venue,
  VenueChannel,
  VenueKey,
  VenueRequest,
} from './venue.js';
import type { Binding, VenueCondition } from './venue-facts.js';
import type { Parameter } from './wire-form.js';

/** Names, separated by blanks. Some orders are triggered by something other than a price of its own name. */
export type TermNames = Readonly<
  Partial<Record<'order_type' | 'price' | 'trigger_price' | 'client_id', string>>
>;

/** A request whose form is right. */
export interface CheckedRequest {
  readonly request: VenueRequest;
  readonly query: readonly Parameter[];
  readonly body: RequestBody;
  /** Undefined if it is not in the table. */
  readonly endpoint: Endpoint | undefined;
}

export type ComposeAt = (moment: SigningMoment) => Composed;

export interface VenueDefinition extends Pick<
  Venue,
  | 'id'
  | 'displayName'
  | 'schemes'
  | 'hmacSecretEncodings'
  | 'apiKeyPattern'
  | 'passphrase'
  | 'nonce'
  | 'ownedParameters'
> {
  readonly endpoints: readonly Endpoint[];
  /** The fields that hold facts, unless an endpoint has its own. */
  readonly fields: FactFields;
  /** The venue's own names for terms of an order that no rule looks at. */
  readonly termNames: TermNames;
  /** The parts that the signature covers, per channel; a channel that is not here is refused. */
  readonly binds: Readonly<Partial<Record<VenueChannel, readonly Binding[]>>>;
  /** The parts that one of the venue's logins covers. */
  readonly sessionBinds?: readonly Binding[];
  /**
   * What an attacker may change without breaking the signature: see interchange.ts. With
   * `method_and_path` every endpoint needs its parameter names in the table.
   */
  readonly unsignedParts: 'none' | 'method' | 'method_and_path';
  /** `method_and_path` only: whether a request as sent could be sent there. Default: always. */
  readonly fits?: (candidate: Endpoint, checked: CheckedRequest) => boolean;
  /** Whether the signature would open a session, whatever the request claims to be. */
  readonly isLogin?: (checked: CheckedRequest, key: VenueKey) => boolean;
  /** Whether its clients state some parameters twice, in the query and in the JSON body: equal ones pass. */
  readonly repeatsQueryInBody?: boolean;
  /** Whether `""`, `null` and `[]` count as absent at the venue. */
  readonly takesEmptyForAbsent?: boolean;
  /** Parameters that every endpoint takes, beside those of its row. */
  readonly commonParameters?: readonly string[];
  /** The reason why no rule can state a condition at this venue. */
  readonly unbindable?: Readonly<Partial<Record<VenueCondition, string>>>;
  /** Mostly {@link formBody} or {@link jsonBody}. On `ws` and `fix` the body is a JSON object. */
  readonly readBody: (raw: string, request: VenueRequest) => RequestBody | Refusal;
  /** The venue's own checks, e.g. that a container it does not sign is empty. */
  readonly check?: (checked: CheckedRequest, key: VenueKey) => Refusal | undefined;
  /** The formula. Called once per plan, with a request that passed every check. */
  readonly prepare: (checked: CheckedRequest, key: VenueKey) => ComposeAt | Refusal;
}
