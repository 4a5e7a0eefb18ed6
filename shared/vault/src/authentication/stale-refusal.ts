import type { Refusal } from '@countersign/core/errors.js';
import { STALE } from './authenticate.js';

/** Whether a request was refused for its age alone. */
export function isStale({ refused, message }: Pick<Refusal, 'refused' | 'message'>): boolean {
  return refused === STALE.refused && message === STALE.message;
}
