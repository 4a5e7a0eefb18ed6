/** What a route looks at before a request is let in, and before anything is done for it. */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from '@countersign/core/errors.js';
import type { Attempt } from './attempt.js';

export interface Door {
  /** Whether anybody would be refused now: asked for every request, so it costs next to nothing. */
  isCrowded(): boolean;
  /** A request that would be refused for want of room; undefined where it would not be, or for something else first. */
  refuseHead(request: IncomingMessage): TurnedAway | undefined;
}

export interface TurnedAway {
  readonly refusal: Refusal;
  /** To be counted before it is told: who asks too often is told that. */
  readonly attempt: Attempt;
}
