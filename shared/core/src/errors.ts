/**
 * The public error model: an answer that is no success has the body `{err_type, err_msg}` and the status of its type.
 * A refusal is a value: outcomes of policy and validation are returned, never thrown. An ApiError is thrown when a
 * request ends early in the gateway.
 */

export const ERR_STATUS = {
  parse_error: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  resource_not_found: 404,
  resource_conflict: 409,
  invalid_inputs: 422,
  internal_server_error: 500,
  gateway_timeout: 504,
} as const;

export type ErrType = keyof typeof ERR_STATUS;

/** The answer of policy or validation instead of a result. `message` is public text. */
export interface Refusal {
  readonly refused: ErrType;
  readonly message: string;
  /** The policy that denied it, if one did. */
  readonly policy?: PolicyReference | undefined;
  /** Seconds after which it may be asked again. Present if it was asked too often, which is overload. */
  readonly tooOftenForS?: number | undefined;
  /** Seconds before which the same would be refused again, where that is known and no overload. */
  readonly retryAfterS?: number | undefined;
  /** Whether the request may still be under way: this is not its outcome, which is told where it is decided. */
  readonly isUndecided?: boolean | undefined;
}

export interface PolicyReference {
  readonly id: string;
  readonly version: number;
  readonly ruleId?: string | undefined;
}

/** A rule of a signing policy. */
export interface RuleReference extends PolicyReference {
  readonly ruleId: string;
}

/** A refusal of this type. */
export type RefusalOf<Type extends ErrType> = Refusal & { readonly refused: Type };

/** `deny`, in `denials.ts`, makes the `forbidden` ones. */
export function refuse(refused: Exclude<ErrType, 'forbidden'>, message: string): Refusal {
  return { refused, message };
}

/** The text for callers, with the policy that denied it if the message does not name it. */
export function publicText({ message, policy }: Refusal): string {
  return policy === undefined || message.includes(policy.id)
    ? message
    : `${message} (policy ${policy.id}, version ${policy.version})`;
}

/** `seconds`: after this time it may be asked again. */
export function refuseTooOften(message: string, seconds: number): Refusal {
  const tooOftenForS = Math.max(1, Math.ceil(seconds));
  return { refused: 'gateway_timeout', message, tooOftenForS };
}

export function statusOf({ refused }: Refusal): number {
  return ERR_STATUS[refused];
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value;
}

/** An error with its public text; `cause` stays internal. */
export class ApiError extends Error {
  readonly errType: ErrType;
  readonly retryAfterS: number | undefined;
  /** As in a refusal. */
  readonly isUndecided: boolean;

  constructor(
    errType: ErrType,
    publicMessage: string,
    options: { cause?: unknown; retryAfterS?: number | undefined; isUndecided?: boolean } = {},
  ) {
    super(publicMessage, { cause: options.cause });
    this.name = 'ApiError';
    this.errType = errType;
    this.retryAfterS = options.retryAfterS;
    this.isUndecided = options.isUndecided === true;
  }

  static from(refusal: Refusal): ApiError {
    return new ApiError(refusal.refused, publicText(refusal));
  }
}
