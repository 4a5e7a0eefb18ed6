/**
 * The public error model: an answer that is no success has the body `{err_type, err_msg}` and the status of its type.
 * A refusal is a value: outcomes of policy and validation are returned, never thrown.
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

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value;
}
