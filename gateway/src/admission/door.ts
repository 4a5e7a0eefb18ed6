/** What a route looks at before a request is let in, and before anything is done for it. */
import type { IncomingMessage } from 'node:http';
import { refuseTooOften, type Refusal } from '@countersign/core/errors.js';
import type { Attempt } from './attempt.js';

const RETRY_AFTER_S = 1;

export const OVERLOADED = refuseTooOften('the service is overloaded', RETRY_AFTER_S);

/** Of a request between its body and the lane: its signature is checked and its nonce claimed. */
export interface Visit {
  /** Once: it has been let in, or refused for something else. */
  leave(): void;
}

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
