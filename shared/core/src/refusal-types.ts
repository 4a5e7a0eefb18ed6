import type { ERR_STATUS } from './err-status.js';

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
