/** Many keys or wallets by one entry: all of them or none. Their ids follow from the entry and their place in it. */
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { ApplyContext } from './ledger-operation.js';

/** The context for the item at this place of the request. */
export function placed(context: ApplyContext, index: number): ApplyContext {
  return { ...context, newId: (name) => context.newId(`${name} ${index}`) };
}

/** Names the item in a refusal that is about the request's content. */
export function refusalAt(list: string, index: number, refusal: Refusal): Refusal {
  return refusal.refused === 'invalid_inputs'
    ? refuse('invalid_inputs', `${list}.${index}.${refusal.message}`)
    : refusal;
}
