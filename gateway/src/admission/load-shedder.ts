/** Checks of a route before a request is let in, and before any work is done for it. */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from '@countersign/core/errors.js';
import type { Attempt } from './attempt.js';
import { refuseTooOften } from '../http/public-error.js';

const RETRY_AFTER_S = 1;

export const OVERLOADED = refuseTooOften('the service is overloaded', RETRY_AFTER_S);

/** A request between its body and the lane, while its signature is checked and its nonce claimed. */
export interface Visit {
  /** To be called once: it has been let in, or refused for something else. */
  leave(): void;
}

export interface LoadShedder {
  /** Whether anybody would be refused now: called for every request, so it must cost next to nothing. */
  isCrowded(): boolean;
  /** A request that would be refused for want of room; undefined if it would not be, or for something else first. */
  refuseHead(request: IncomingMessage): TurnedAway | undefined;
}

export interface TurnedAway {
  readonly refusal: Refusal;
  /** Counted before the refusal is sent: whoever asks too often is told that instead. */
  readonly attempt: Attempt;
}
