/**
 * The public error model: an answer that is no success has the body `{err_type, err_msg}` and the status of its type.
 * A refusal is a value: outcomes of policy and validation are returned, never thrown.
 */
import type { ErrType, Refusal } from './refusal-types.js';

export type * from './refusal-types.js';

/** `deny`, in `denials.ts` and `fold-denials.ts`, makes the `forbidden` ones. */
export function refuse(refused: Exclude<ErrType, 'forbidden'>, message: string): Refusal {
  return { refused, message };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value;
}
