import type { RefusalReason } from '../../threads/thread-tasks.js';

/** The maths of one item cannot be done, for a reason that its result names. */
export class MathsRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, options?: ErrorOptions) {
    super(`not signed: ${reason}`, options);
    this.name = 'MathsRefusal';
    this.reason = reason;
  }
}
